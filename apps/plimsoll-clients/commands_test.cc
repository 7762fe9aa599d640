#include "commands.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plimsoll::clients {
namespace {

// Counts up, or fails.
class FakeEntropy final : public Entropy {
 public:
  explicit FakeEntropy(bool works) : works_(works) {}
  Result<void> fill(std::span<std::byte> bytes) override {
    if (!works_) return std::unexpected(Error{.message = "no entropy"});
    std::ranges::generate(bytes, [this] { return std::byte{next_++}; });
    return {};
  }

 private:
  bool works_;
  unsigned char next_ = 0;
};

TEST(NewToken, IsThirtyTwoBytesInHex) {
  FakeEntropy entropy(true);
  EXPECT_EQ(new_token(entropy).value(),
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  FakeEntropy broken(false);
  EXPECT_EQ(new_token(broken).error().message, "no entropy");
  SystemEntropy system;
  EXPECT_NE(new_token(system).value(), new_token(system).value());
}

TEST(TokenOfInput, IsOneLine) {
  for (const std::string_view input : {"abc", "abc\n", "abc\r\n"}) {
    EXPECT_EQ(token_of_input(input).value(), "abc");
  }
  for (const std::string& input :
       {std::string(), std::string("\n"), std::string("a b"), std::string("a\nb\n"),
        std::string("abc\n\n"), std::string("\xC3\xA9"), std::string(4097, 'x')}) {
    const auto token = token_of_input(input);
    ASSERT_FALSE(token) << input;
    EXPECT_EQ(token.error().message.find("xxx"), std::string::npos);
  }
}

}  // namespace
}  // namespace plimsoll::clients
