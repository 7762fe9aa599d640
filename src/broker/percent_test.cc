#include "broker/percent.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Percent, EveryByteHasOneForm) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const std::string text = percent_encode(one);
    EXPECT_EQ(text.size(), is_unreserved(one[0]) ? 1U : 3U) << byte;
    EXPECT_EQ(percent_decode(text), one) << byte;
  }
  EXPECT_EQ(percent_encode("a b&c=d/\xC3\xA9%~"), "a%20b%26c%3Dd%2F%C3%A9%25~");
}

TEST(Percent, OtherSpellingsAreNone) {
  for (const std::string_view text :
       {"%2f", "%2", "%", "%%", "%zz", "%41", "%7E", "+", " ", "a/b", "&", "=", "\x01", "\xC3",
        "%C3%A", "%-1", "% 1", "%2e", "%2E"}) {
    EXPECT_EQ(percent_decode(text), std::nullopt) << text;
  }
  EXPECT_EQ(percent_decode(std::string_view("a\0", 2)), std::nullopt);
  EXPECT_EQ(percent_decode("%252E"), "%2E");
  EXPECT_EQ(percent_decode(""), "");
}

}  // namespace
}  // namespace plimsoll
