#include "words.h"

#include <gtest/gtest.h>

namespace plimsoll::prospector {
namespace {

TEST(Words, NumbersForPeople) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1204), "1,204");
  EXPECT_EQ(thousands(18'446'744'073'709'551'615U), "18,446,744,073,709,551,615");
  EXPECT_EQ(duration_words(340), "340 ms");
  EXPECT_EQ(duration_words(4290), "4.2 s");
  EXPECT_EQ(duration_words(200'000), "3 min 20 s");
  EXPECT_EQ(duration_words(18'720'000), "5 h 12 min");
  EXPECT_EQ(size_words(812), "812 B");
  EXPECT_EQ(size_words(4301), "4.2 KiB");
  EXPECT_EQ(size_words(std::uint64_t{3} << 50), "3072.0 TiB");
  EXPECT_EQ(counted(1, "run", "runs"), "1 run");
  EXPECT_EQ(counted(2000, "run", "runs"), "2,000 runs");
  EXPECT_EQ(day_words(std::chrono::sys_days(std::chrono::year(2026) / 11 / 9)), "2026-11-09");
}

TEST(Words, WhatCannotBeSeenIsSpelledOut) {
  EXPECT_EQ(visible("ann"), "ann");
  EXPECT_EQ(visible("<b>é漢"), "<b>é漢");
  const std::string isolate = {'\xE2', '\x81', '\xA6'};
  const std::string turn = {'\xE2', '\x80', '\xAE'};
  EXPECT_EQ(visible("a" + turn + "b"), "a[U+202E]b");
  EXPECT_EQ(visible("a\nb\x1b[2J\x7f"), "a[U+000A]b[U+001B][2J[U+007F]");
  EXPECT_EQ(visible("\xEF\xBB\xBF" + isolate + "\xC2\xAD"), "[U+FEFF][U+2066][U+00AD]");
  EXPECT_EQ(visible("\xF3\xA0\x80\x81"), "[U+E0001]");
  EXPECT_EQ(visible("a\xFF"), "a\xEF\xBF\xBD");
  EXPECT_EQ(visible("abcdef", 3), "abc…");
  EXPECT_EQ(visible("abc", 3), "abc");
}

}  // namespace
}  // namespace plimsoll::prospector
