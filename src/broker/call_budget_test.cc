#include "broker/call_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll {
namespace {

TEST(CallBudget, IsSpentByEveryCallThatIsAskedFor) {
  CallBudget budget(3);
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.take());
  EXPECT_FALSE(budget.take());
  EXPECT_FALSE(budget.take());
}

TEST(CallBudget, SixteenAtOnceAndAPlaceComesBack) {
  CallBudget budget(100);
  std::vector<CallBudget::Place> places;
  for (unsigned i = 0; i < kMaxCallsInFlight; ++i) places.push_back(budget.take());
  for (const auto& place : places) EXPECT_TRUE(place);
  EXPECT_FALSE(budget.take());
  places.pop_back();
  CallBudget::Place place = budget.take();
  EXPECT_TRUE(place);
  EXPECT_FALSE(budget.take());
  place = {};
  EXPECT_TRUE(budget.take());
}

TEST(CallBudget, ACallTooManyAtOnceIsSpentAsWell) {
  CallBudget budget(kMaxCallsInFlight + 1);
  {
    std::vector<CallBudget::Place> places;
    for (unsigned i = 0; i < kMaxCallsInFlight; ++i) places.push_back(budget.take());
    EXPECT_FALSE(budget.take());
  }
  EXPECT_FALSE(budget.take());
}

}  // namespace
}  // namespace plimsoll
