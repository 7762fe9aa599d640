#include "admission/fair_queue.h"

#include <gtest/gtest.h>

#include <map>

namespace plimsoll {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using Kind = FairQueue::Decision::Kind;

constexpr FairQueue::Time kStart{1000h};

TEST(WithinMemory, AsManyAsFit) {
  EXPECT_EQ(concurrency_within_memory(8, 1024, 64), 8U);
  EXPECT_EQ(concurrency_within_memory(8, 511, 64), 7U);
  EXPECT_EQ(concurrency_within_memory(8, 64, 64), 1U);
  EXPECT_EQ(concurrency_within_memory(8, 63, 64), 0U);
  EXPECT_EQ(concurrency_within_memory(8, ~std::uint64_t{0}, 1), 8U);
  EXPECT_EQ(concurrency_within_memory(8, 100, 0), 8U);
}

TEST(FairQueue, RunsUpToTheLimitsThenWaits) {
  FairQueue queue({.max_concurrent = 3, .per_caller_concurrent = 2});
  EXPECT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  EXPECT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  EXPECT_EQ(queue.request("a", kStart).kind, Kind::kWaits);  // its own limit
  EXPECT_EQ(queue.request("b", kStart).kind, Kind::kRuns);
  EXPECT_EQ(queue.request("b", kStart).kind, Kind::kWaits);  // everybody's limit
  EXPECT_EQ(queue.in_flight(), 3U);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(queue.grant(), std::nullopt);
}

// The names of the next `count` grants, each run ending at once.
std::string turns(FairQueue& queue, std::map<FairQueue::Ticket, std::string>& names, int count) {
  std::string order;
  std::string running = "-";
  for (int i = 0; i < count; ++i) {
    const auto ticket = queue.grant();
    if (!ticket) break;
    order += names[*ticket];
    queue.release(names[*ticket], kStart, 1ms);
  }
  return order;
}

TEST(FairQueue, OneRunOfAnotherIsNotBehindTwoHundred) {
  FairQueue queue({.max_concurrent = 1, .per_caller_concurrent = 1});
  ASSERT_EQ(queue.request("x", kStart).kind, Kind::kRuns);
  std::map<FairQueue::Ticket, std::string> names;
  for (int i = 0; i < 200; ++i) names[queue.request("a", kStart).ticket] = "a";
  names[queue.request("b", kStart).ticket] = "b";
  for (int i = 0; i < 2; ++i) names[queue.request("c", kStart).ticket] = "c";
  queue.release("x", kStart, 1ms);
  EXPECT_EQ(turns(queue, names, 8), "abcacaaa");
  EXPECT_EQ(turns(queue, names, 500).size(), 195U);
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST(FairQueue, WithinALineFirstComeFirstServed) {
  FairQueue queue({.max_concurrent = 1, .per_caller_concurrent = 1});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  const auto first = queue.request("a", kStart).ticket;
  const auto second = queue.request("a", kStart).ticket;
  queue.release("a", kStart, 1ms);
  EXPECT_EQ(queue.grant(), first);
  queue.release("a", kStart, 1ms);
  EXPECT_EQ(queue.grant(), second);
}

TEST(FairQueue, ACallerAtItsLimitHoldsNobodyUp) {
  FairQueue queue({.max_concurrent = 2, .per_caller_concurrent = 1});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kWaits);
  EXPECT_EQ(queue.request("b", kStart).kind, Kind::kRuns);
  const auto waits = queue.request("c", kStart);
  ASSERT_EQ(waits.kind, Kind::kWaits);
  queue.release("b", kStart, 1ms);
  EXPECT_EQ(queue.grant(), waits.ticket);  // a is before c, and may not
}

TEST(FairQueue, NobodyOvertakesItself) {
  FairQueue queue({.max_concurrent = 2, .per_caller_concurrent = 1});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  const auto waits = queue.request("a", kStart);
  queue.release("a", kStart, 1ms);
  EXPECT_EQ(queue.request("a", kStart).kind, Kind::kWaits);
  EXPECT_EQ(queue.grant(), waits.ticket);
}

TEST(FairQueue, WaitingIsBounded) {
  FairQueue queue(
      {.max_concurrent = 1, .per_caller_concurrent = 1, .max_waiting = 3, .per_caller_waiting = 2});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kWaits);
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kWaits);
  const auto refused = queue.request("a", kStart);
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_EQ(refused.reason, NotAdmitted::kCallerQueue);
  EXPECT_GE(refused.retry_after, 1ms);
  ASSERT_EQ(queue.request("b", kStart).kind, Kind::kWaits);
  EXPECT_EQ(queue.request("c", kStart).reason, NotAdmitted::kQueue);
}

TEST(FairQueue, ARefusedAttemptIsChargedWhateverRefusedIt) {
  FairQueue queue({.max_concurrent = 1,
                   .per_caller_concurrent = 1,
                   .rate = {.per_minute = 60, .burst = 4},
                   .per_caller_waiting = 1});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kWaits);
  EXPECT_EQ(queue.request("a", kStart).reason, NotAdmitted::kCallerQueue);
  queue.charge("a", kStart);
  const auto refused = queue.request("a", kStart);
  EXPECT_EQ(refused.reason, NotAdmitted::kRate);
  EXPECT_EQ(refused.retry_after, 2000ms);
  EXPECT_EQ(queue.request("b", kStart).kind, Kind::kWaits);  // another's bucket is its own
}

TEST(FairQueue, WhoLeavesIsNotGranted) {
  FairQueue queue({.max_concurrent = 1, .per_caller_concurrent = 1});
  ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
  const auto b = queue.request("b", kStart).ticket;
  const auto c = queue.request("c", kStart).ticket;
  EXPECT_TRUE(queue.leave(b));
  EXPECT_FALSE(queue.leave(b));
  EXPECT_EQ(queue.waiting(), 1U);
  queue.release("a", kStart, 1ms);
  EXPECT_EQ(queue.grant(), c);
  EXPECT_FALSE(queue.leave(c));
}

TEST(FairQueue, IdleCallersAreForgotten) {
  FairQueue queue(
      {.max_concurrent = 8, .per_caller_concurrent = 4, .rate = {.per_minute = 60, .burst = 1}});
  for (int i = 0; i < 10'000; ++i) {
    const std::string caller = "c" + std::to_string(i);
    const auto at = kStart + i * 1ms;
    ASSERT_EQ(queue.request(caller, at).kind, Kind::kRuns);
    queue.release(caller, at, 0ms);
    // A bucket is full again after a second, that is, after 1000 others.
    ASSERT_LE(queue.remembered(), 2100U);
  }
  for (int i = 0; i < 2000; ++i) queue.charge("last", kStart + 24h);
  EXPECT_EQ(queue.remembered(), 1U);
}

TEST(FairQueue, WhoRunsWaitsOrOwesIsRemembered) {
  FairQueue queue(
      {.max_concurrent = 1, .per_caller_concurrent = 1, .rate = {.per_minute = 1, .burst = 1}});
  ASSERT_EQ(queue.request("runs", kStart).kind, Kind::kRuns);
  ASSERT_EQ(queue.request("waits", kStart).kind, Kind::kWaits);
  queue.charge("owes", kStart);
  for (int i = 0; i < 100; ++i) queue.charge("other", kStart);
  EXPECT_EQ(queue.remembered(), 4U);
  EXPECT_EQ(queue.request("owes", kStart + 59s).reason, NotAdmitted::kRate);
}

TEST(FairQueue, TheEstimateFollowsTheRuns) {
  FairQueue queue({.max_concurrent = 2, .per_caller_concurrent = 2});
  EXPECT_EQ(queue.estimate(), 100ms);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(queue.request("a", kStart).kind, Kind::kRuns);
    queue.release("a", kStart, 4000ms);
  }
  EXPECT_GT(queue.estimate(), 3900ms);
  EXPECT_LE(queue.estimate(), 4000ms);
  for (int i = 0; i < 100; ++i) static_cast<void>(queue.request("a", kStart));
  EXPECT_EQ(queue.estimate(), 30s);
}

}  // namespace
}  // namespace plimsoll
