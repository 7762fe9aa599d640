#include "core/mistakes.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Mistakes, NamesAllOfThemInOrder) {
  Mistakes mistakes;
  EXPECT_TRUE(mistakes.none());
  mistakes.add("a is 1; 2 is accepted");
  mistakes.add("b is empty");
  EXPECT_FALSE(mistakes.none());
  const Error error =
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment);
  EXPECT_EQ(error.code, ErrorCode::kInvalidConfig);
  EXPECT_EQ(error.message, "a is 1; 2 is accepted; b is empty");
  EXPECT_EQ(error.not_dispatched, NotDispatchedReason::kEnvironment);
}

}  // namespace
}  // namespace plimsoll
