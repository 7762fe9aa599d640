#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

TEST(Utf8, WellFormed) {
  for (const std::string_view text :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "é漢\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  EXPECT_TRUE(is_valid_utf8(std::string_view("\0", 1)));
}

TEST(Utf8, IllFormed) {
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xF0\x9F\x98", "ok\xFE"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << testing::PrintToString(std::string(text));
  }
}

TEST(Utf8, CodePoints) {
  EXPECT_EQ(first_utf8_character("é").code_point, U'é');
  EXPECT_EQ(first_utf8_character("\xF0\x9F\x98\x80!").code_point, char32_t{0x1F600});
  EXPECT_EQ(first_utf8_character("\xF0\x9F\x98\x80!").size, 4U);
  EXPECT_EQ(first_utf8_character("\xE2\x82").size, 1U);
}

}  // namespace
}  // namespace plimsoll
