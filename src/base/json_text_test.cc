#include "base/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plimsoll {
namespace {

TEST(JsonText, NothingBreaksOutOfAString) {
  const std::pair<std::string, std::string> cases[] = {
      {"", R"("")"},
      {"plain text", R"("plain text")"},
      {"\"},{\"", R"("\"},{\"")"},
      {"\\", R"("\\")"},
      {"a\nb", R"("a\nb")"},
      {"\r\t\b", R"("\u000d\u0009\u0008")"},
      {std::string("\0", 1), R"("\u0000")"},
      {"\x1b[2J", R"("\u001b[2J")"},
      {"\x7f", R"("\u007f")"},
      {"\xC2\x85", R"("\u0085")"},
      {"\xE2\x80\xA8\xE2\x80\xA9", R"("\u2028\u2029")"},
      {"é", R"("\u00e9")"},
      {"\xF0\x9F\x98\x80", R"("\ud83d\ude00")"},
      {"\xF4\x8F\xBF\xBF", R"("\udbff\udfff")"},
      {"\xFF", R"("\ufffd")"},
      {"a\xE2\x80", R"("a\ufffd\ufffd")"},
      {"\xED\xA0\x80", R"("\ufffd\ufffd\ufffd")"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(json_string(bytes), text);
}

TEST(JsonText, EveryByteStaysVisibleAsciiAndBounded) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes = {static_cast<char>(a), static_cast<char>(b)};
      const std::string text = json_string(bytes);
      EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }));
      EXPECT_LE(text.size(), 14U);
    }
  }
}

}  // namespace
}  // namespace plimsoll
