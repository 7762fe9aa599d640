#include "charts.h"

#include <gtest/gtest.h>

namespace plimsoll::prospector {
namespace {

using std::chrono::days;

constexpr std::chrono::sys_days kFirst{std::chrono::year(2026) / 11 / 1};

Share share_of(std::uint64_t code, std::uint64_t operators, std::uint64_t unknown) {
  Share share;
  share.by_class[0].extra_calls = code;
  share.by_class[1].extra_calls = operators;
  share.by_class[2].extra_calls = unknown;
  return share;
}

TEST(Charts, TheHighestDayFillsTheChart) {
  const DayChart chart =
      day_chart({{kFirst, share_of(50, 25, 25)}, {kFirst + days(9), share_of(0, 50, 0)}});
  EXPECT_EQ(chart.top, 100U);
  ASSERT_EQ(chart.bars.size(), 4U);
  EXPECT_DOUBLE_EQ(chart.bars[0].y, 50);
  EXPECT_DOUBLE_EQ(chart.bars[1].y, 25);
  EXPECT_DOUBLE_EQ(chart.bars[2].y, 0);
  EXPECT_EQ(chart.bars[3].kind, FindingClass::kOperator);
  EXPECT_DOUBLE_EQ(chart.bars[3].h, 50);
  // The tenth of ten days.
  EXPECT_GT(chart.bars[3].x, 900);
  EXPECT_LE(chart.bars[3].x + chart.bars[3].w, 1000);
}

TEST(Charts, DaysFarApartStandSideBySide) {
  const DayChart chart =
      day_chart({{kFirst, share_of(1, 0, 0)}, {kFirst + days(2'000'000), share_of(1, 0, 0)}});
  ASSERT_EQ(chart.bars.size(), 2U);
  EXPECT_DOUBLE_EQ(chart.bars[1].x - chart.bars[0].x, 500);
}

TEST(Charts, NothingIsDrawnOfNothing) {
  EXPECT_TRUE(day_chart({}).bars.empty());
  EXPECT_TRUE(day_chart({{kFirst, share_of(0, 0, 0)}}).bars.empty());
  EXPECT_TRUE(line_of(share_of(0, 0, 0), 0).empty());
}

TEST(Charts, TheLongestLineIsAsWideAsTheChart) {
  const auto bars = line_of(share_of(30, 0, 70), 100);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_DOUBLE_EQ(bars[1].x, 300);
  EXPECT_DOUBLE_EQ(bars[1].x + bars[1].w, 1000);
}

}  // namespace
}  // namespace plimsoll::prospector
