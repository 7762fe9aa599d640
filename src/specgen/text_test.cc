#include "specgen/text.h"

#include <gtest/gtest.h>

namespace plimsoll::specgen {
namespace {

TEST(OneLine, HasNoByteThatEndsALineOrDrivesATerminal) {
  EXPECT_EQ(one_line("  a\r\n\tb\xE2\x80\xA8"
                     "c\xC2\x85"
                     "d\x1B[31m e\x7F "),
            "a b c d [31m e");
  // NOLINTNEXTLINE(misc-misleading-bidirectional): it is what has to go
  EXPECT_EQ(one_line("a\xE2\x80\xAE"
                     "b\xEF\xBB\xBF"
                     "c"),
            "abc");
  EXPECT_EQ(one_line("a\xFF"
                     "b\xC0\x80"
                     "c"),
            "a b c");
  EXPECT_EQ(one_line(""), "");
}

TEST(PlainLine, StaysInACommentAndInATemplate) {
  EXPECT_EQ(plain_line("x */ y /* z"), "x * / y / * z");
  EXPECT_EQ(plain_line("`${alert(1)}` \"q\" \\u2028"), "'$ {alert(1)}' 'q' /u2028");
  EXPECT_EQ(plain_line("*\\"), "* /");
  EXPECT_EQ(plain_line("**/"), "** /");
  EXPECT_EQ(plain_line("/*/"), "/ * /");
  EXPECT_EQ(plain_line("*\xE2\x80\x8B/"), "* /");
}

TEST(CutAtSentence, EndsWhereASentenceDoes) {
  EXPECT_EQ(cut_at_sentence("One. Two three. Four", 16), "One. Two three.");
  EXPECT_EQ(cut_at_sentence("One. Two three. Four", 14), "One.");
  EXPECT_EQ(cut_at_sentence("One v1.2 and more words", 12), "One v1.2...");
  EXPECT_EQ(cut_at_sentence("Short", 16), "Short");
}

TEST(CutAtWord, NeverCutsAWordOrACharacter) {
  EXPECT_EQ(cut_at_word("alpha beta gamma", 14), "alpha beta...");
  EXPECT_EQ(cut_at_word("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 6), "\xC3\xA9...");
  EXPECT_EQ(cut_at_word("abc", 2), "ab");
}

}  // namespace
}  // namespace plimsoll::specgen
