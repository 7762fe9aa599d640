#include "admission/token_bucket.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr TokenBucket::Time kStart{1000h};

TEST(TokenBucket, ABurstThenTheRate) {
  TokenBucket bucket({.per_minute = 60, .burst = 3}, kStart);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.charge(kStart), 0ms);
  EXPECT_EQ(bucket.charge(kStart), 2000ms);  // one second of debt, and one for the attempt
}

TEST(TokenBucket, WaitingAsToldIsEnoughAndNothingLessIs) {
  TokenBucket bucket({.per_minute = 60, .burst = 1}, kStart);
  EXPECT_EQ(bucket.charge(kStart), 0ms);
  const Millis wait = bucket.charge(kStart);
  TokenBucket early = bucket;
  EXPECT_GT(early.charge(kStart + wait - 1ms), 0ms);
  EXPECT_EQ(bucket.charge(kStart + wait), 0ms);
}

TEST(TokenBucket, RefusedAttemptsAreChargedUpToOneBurst) {
  TokenBucket bucket({.per_minute = 60, .burst = 5}, kStart);
  for (int i = 0; i < 1000; ++i) static_cast<void>(bucket.charge(kStart));
  EXPECT_EQ(bucket.charge(kStart), 6000ms);
  EXPECT_EQ(bucket.charge(kStart + 6s), 0ms);
}

TEST(TokenBucket, HoldsOneBurstAtMost) {
  TokenBucket bucket({.per_minute = 60, .burst = 2}, kStart);
  EXPECT_EQ(bucket.charge(kStart + 24h), 0ms);
  EXPECT_EQ(bucket.charge(kStart + 24h), 0ms);
  EXPECT_GT(bucket.charge(kStart + 24h), 0ms);
}

TEST(TokenBucket, NoRateIsNoLimit) {
  TokenBucket bucket({}, kStart);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(bucket.charge(kStart), 0ms);
  EXPECT_TRUE(bucket.full(kStart));
}

TEST(TokenBucket, FullAgainAfterItsTime) {
  TokenBucket bucket({.per_minute = 60, .burst = 2}, kStart);
  EXPECT_TRUE(bucket.full(kStart));
  static_cast<void>(bucket.charge(kStart));
  EXPECT_FALSE(bucket.full(kStart + 999ms));
  EXPECT_TRUE(bucket.full(kStart + 1s));
}

TEST(TokenBucket, ExtremesDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  for (const Rate rate : {Rate{kMost, kMost}, Rate{1, kMost}, Rate{kMost, 1}}) {
    TokenBucket bucket(rate, kStart);
    EXPECT_EQ(bucket.charge(kStart), 0ms);
    EXPECT_EQ(bucket.charge(TokenBucket::Time::max()), 0ms);
    EXPECT_EQ(bucket.charge(kStart).count() >= 0, true);  // a clock that went back is no fault
  }
}

TEST(TokenBucket, AskingOftenLosesNothing) {
  TokenBucket bucket({.per_minute = 7, .burst = 1}, kStart);
  EXPECT_EQ(bucket.charge(kStart), 0ms);
  for (auto at = kStart; at < kStart + 8572ms; at += 1ms) static_cast<void>(bucket.full(at));
  EXPECT_EQ(bucket.charge(kStart + 8572ms), 0ms);
}

}  // namespace
}  // namespace plimsoll
