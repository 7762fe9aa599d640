#include "auth/token.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(BearerToken, OneTokenOfVisibleAscii) {
  const std::string longest(kMaxTokenBytes, 'x');
  const std::pair<std::string, std::string> accepted[] = {
      {"Bearer abc", "abc"},       {"bearer abc", "abc"},
      {"BEARER abc", "abc"},       {"bEaReR    abc", "abc"},
      {" \tBearer abc\t ", "abc"}, {"Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="},
      {"Bearer !\"#,;", "!\"#,;"}, {"Bearer " + longest, longest},
  };
  for (const auto& [field, token] : accepted) {
    EXPECT_EQ(bearer_token(field).value_or("refused"), token) << field;
  }
  for (const std::string& field :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Bearer\tabc"),
        std::string("Bearerabc"), std::string("Basic abc"), std::string("abc"),
        std::string("Bearer a b"), std::string("Bearer a\tb"), std::string("Bearer a, Bearer b"),
        std::string("Bearer caf\xC3\xA9"), std::string("Bearer a\0b", 10),
        std::string("Bearer a\x7F"), std::string("Bearer a\r\nX: y"), "Bearer " + longest + "x"}) {
    EXPECT_FALSE(bearer_token(field)) << testing::PrintToString(field);
  }
}

TEST(TokenFingerprint, IsTheSha256InHex) {
  const std::string hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(TokenFingerprint::of("abc").hex(), hex);
  std::string upper = hex;
  for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  ASSERT_TRUE(TokenFingerprint::from_hex(upper));
  EXPECT_TRUE(TokenFingerprint::from_hex(upper)->matches(TokenFingerprint::of("abc")));
  for (const std::string& bad : {std::string(), hex.substr(1), hex + "0", "g" + hex.substr(1),
                                 " " + hex.substr(1), "0x" + hex.substr(2)}) {
    EXPECT_FALSE(TokenFingerprint::from_hex(bad)) << bad;
  }
}

TEST(TokenFingerprint, OneBitAnywhereIsAMismatch) {
  const std::string hex = TokenFingerprint::of("abc").hex();
  const auto whole = *TokenFingerprint::from_hex(hex);
  for (std::size_t i = 0; i < hex.size(); ++i) {
    std::string changed = hex;
    changed[i] = hex[i] == '0' ? '1' : '0';
    EXPECT_FALSE(whole.matches(*TokenFingerprint::from_hex(changed))) << i;
  }
}

}  // namespace
}  // namespace plimsoll
