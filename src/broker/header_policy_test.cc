#include "broker/header_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {
namespace {

std::vector<std::string> lines(const std::vector<Secret>& fields) {
  std::vector<std::string> text;
  for (const Secret& field : fields) text.emplace_back(field.reveal());
  return text;
}

TEST(HeaderPolicy, ARequestCarriesTheseFieldsAndNoOthers) {
  EXPECT_THAT(lines(request_fields(BodyPart::kAbsent, Secret())),
              testing::ElementsAre("Accept: application/json", "User-Agent: plimsoll-broker"));
  EXPECT_THAT(lines(request_fields(BodyPart::kPresent, Secret("tok"))),
              testing::ElementsAre("Accept: application/json", "User-Agent: plimsoll-broker",
                                   "Content-Type: application/json", "Authorization: Bearer tok"));
}

TEST(HeaderPolicy, ACredentialIsOneRunOfVisibleAscii) {
  EXPECT_TRUE(is_credential("a.b-c_d~+/="));
  EXPECT_TRUE(is_credential(std::string(kMaxCredentialBytes, 'a')));
  for (const std::string_view text : {"", " a", "a b", "a\n", "a\r\nX: y", "\xC3\xA9", "a\x7F"}) {
    EXPECT_FALSE(is_credential(text)) << text;
  }
  EXPECT_FALSE(is_credential(std::string(kMaxCredentialBytes + 1, 'a')));
  EXPECT_FALSE(is_credential(std::string_view("a\0b", 3)));
}

TEST(HeaderPolicy, AContentTypeIsOneLineOrNothing) {
  EXPECT_EQ(delivered_content_type("application/json; charset=utf-8"),
            "application/json; charset=utf-8");
  EXPECT_EQ(delivered_content_type("text/\xC3\xA9"), "");
  EXPECT_EQ(delivered_content_type("text/plain\r\nX: y"), "");
  EXPECT_EQ(delivered_content_type(std::string(kMaxContentTypeBytes, 'a')).size(),
            kMaxContentTypeBytes);
  EXPECT_EQ(delivered_content_type(std::string(kMaxContentTypeBytes + 1, 'a')), "");
}

TEST(HeaderPolicy, AnEchoIsSeenWhereverItStands) {
  const Secret credential("tok-1");
  EXPECT_TRUE(echoes("tok-1", credential));
  EXPECT_TRUE(echoes("{\"authorization\":\"Bearer tok-1\"}", credential));
  EXPECT_TRUE(echoes(std::string("\0\xFFtok-1\xFF", 8), credential));
  EXPECT_FALSE(echoes("tok-2 tok- 1", credential));
  EXPECT_FALSE(echoes("anything", Secret()));
}

}  // namespace
}  // namespace plimsoll
