#include "broker/lazy_timer.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>

namespace plimsoll {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

bool is_readable(const LazyTimer& timer, milliseconds within) {
  pollfd ready{.fd = timer.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, static_cast<int>(within.count())) == 1;
}

bool comes(LazyTimer& timer) {
  for (const auto end = Steady::now() + milliseconds(20'000); Steady::now() < end;) {
    if (is_readable(timer, milliseconds(20'000)) && timer.is_due()) return true;
  }
  return false;
}

TEST(LazyTimer, ComesOnceAndNotBeforeItsTime) {
  LazyTimer timer;
  ASSERT_TRUE(timer.open());
  const auto start = Steady::now();
  timer.set(milliseconds(20));
  EXPECT_TRUE(comes(timer));
  EXPECT_GE(Steady::now() - start, milliseconds(20));
  EXPECT_FALSE(timer.is_due());
  EXPECT_FALSE(is_readable(timer, milliseconds(0)));
}

TEST(LazyTimer, ALaterTimeHoldsThoughTheDescriptorWakesAtTheEarlierOne) {
  LazyTimer timer;
  ASSERT_TRUE(timer.open());
  const auto start = Steady::now();
  timer.set(milliseconds(5));
  timer.set(milliseconds(60));
  EXPECT_TRUE(comes(timer));
  EXPECT_GE(Steady::now() - start, milliseconds(60));
}

TEST(LazyTimer, AnEarlierTimeReplacesALaterOne) {
  LazyTimer timer;
  ASSERT_TRUE(timer.open());
  timer.set(milliseconds(3'600'000));
  timer.set(milliseconds(1));
  EXPECT_TRUE(comes(timer));
}

TEST(LazyTimer, WhatIsClearedDoesNotCome) {
  LazyTimer timer;
  ASSERT_TRUE(timer.open());
  timer.set(milliseconds(1));
  timer.clear();
  ASSERT_TRUE(is_readable(timer, milliseconds(20'000)));
  EXPECT_FALSE(timer.is_due());
  EXPECT_FALSE(is_readable(timer, milliseconds(5)));
}

TEST(LazyTimer, ZeroIsAtOnce) {
  LazyTimer timer;
  ASSERT_TRUE(timer.open());
  timer.set(milliseconds(0));
  EXPECT_TRUE(comes(timer));
}

}  // namespace
}  // namespace plimsoll
