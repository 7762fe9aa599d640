#include "text.h"

#include <gtest/gtest.h>

namespace plimsoll::cli {
namespace {

TEST(Text, Base64IsThatOfRfc4648) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64(std::string_view("\0\xff\xfe", 3)), "AP/+");
}

TEST(Text, Utf8IsThatOfRfc3629) {
  for (const std::string_view good :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "漢🙂"}) {
    EXPECT_TRUE(is_utf8(good)) << to_base64(good);
  }
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  for (const std::string_view bad :
       {"\x80", "\xff", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe2\x82",
        "\xed\xa0\x80" /* a surrogate */, "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
        "\xf4\x90\x80\x80" /* past U+10FFFF */, "\xf5\x80\x80\x80", "ok\xfe"}) {
    EXPECT_FALSE(is_utf8(bad)) << to_base64(bad);
  }
}

}  // namespace
}  // namespace plimsoll::cli
