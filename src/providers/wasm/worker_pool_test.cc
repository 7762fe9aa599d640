#include "providers/jailed/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "providers/wasm/worker_fixture.h"

namespace plimsoll::wasm {
namespace {

WorkerPool::Clock::time_point in(Millis wait) { return WorkerPool::Clock::now() + wait; }

constexpr Millis kPatience{10'000};

class WorkerPoolTest : public ::testing::Test {
 protected:
  WorkerPool& pool(PoolOptions options) { return pool_.emplace(factory_, options); }
  static WorkerPool::Lease lease(WorkerPool& pool, std::string_view caller) {
    auto lease = pool.acquire(caller, in(kPatience));
    if (!lease) throw std::runtime_error(lease.error().message);
    return *std::move(lease);
  }
  // One run of `caller`; the pid of the worker that served it.
  static pid_t serve(WorkerPool& pool, std::string_view caller) {
    WorkerPool::Lease lease = WorkerPoolTest::lease(pool, caller);
    expect_42(lease.worker());
    const pid_t pid = pid_of(lease.worker());
    lease.keep_worker(caller);
    return pid;
  }

  WorkerFactory factory_{worker_program(), "", 64};
  std::optional<WorkerPool> pool_;
};

TEST_F(WorkerPoolTest, FillMakesTheReadyWorkers) {
  WorkerPool& three = pool({.ready = 3});
  EXPECT_EQ(three.ready_evidence().tier, Isolation::kUnknown);
  ASSERT_TRUE(three.fill());
  EXPECT_EQ(three.ready_evidence().tier, Isolation::kProcess);
  EXPECT_EQ(descendants("plimsoll-worker").size(), 3U);
  ASSERT_TRUE(three.fill());
  EXPECT_EQ(descendants("plimsoll-worker").size(), 3U);
}

TEST_F(WorkerPoolTest, AnEmptyPoolMakesWhatIsAskedFor) {
  EXPECT_GT(serve(pool({.ready = 1}), "a"), 0);
}

TEST_F(WorkerPoolTest, WhatWasTakenIsMadeAgain) {
  WorkerPool& one = pool({.ready = 1});
  ASSERT_TRUE(one.fill());
  for (int round = 0; round < 3; ++round) {
    const WorkerPool::Lease taken = lease(one, "caller " + std::to_string(round));
    EXPECT_TRUE(eventually([&] { return one.ready_evidence().tier == Isolation::kProcess; }));
  }
}

TEST_F(WorkerPoolTest, WaitersAreServedInTheirOrder) {
  WorkerPool& one = pool({.ready = 1, .max_concurrent = 1});
  std::optional<WorkerPool::Lease> held(lease(one, "first"));
  constexpr int kWaiters = 6;
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  for (int waiter = 0; waiter < kWaiters; ++waiter) {
    threads.emplace_back([&, waiter] {
      const WorkerPool::Lease mine = lease(one, "same caller");
      const std::lock_guard lock(mutex);
      order.push_back(waiter);
    });
    EXPECT_TRUE(eventually([&] { return one.state().waiting == threads.size(); }));
  }
  held.reset();
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_F(WorkerPoolTest, ANewcomerDoesNotOvertakeAWaiter) {
  WorkerPool& one = pool({.ready = 1, .max_concurrent = 1});
  std::optional<WorkerPool::Lease> held(lease(one, "first"));
  std::atomic<bool> served = false;
  std::jthread waiter([&] {
    const WorkerPool::Lease mine = lease(one, "waiter");
    served = true;
  });
  EXPECT_TRUE(eventually([&] { return one.state().waiting == 1; }));
  held.reset();  // the slot is the waiter's from now on
  const WorkerPool::Lease newcomer = lease(one, "newcomer");
  EXPECT_TRUE(served);
}

TEST_F(WorkerPoolTest, WithoutASlotInTimeNothingIsLeased) {
  WorkerPool& two = pool({.ready = 1, .max_concurrent = 2});
  std::optional<WorkerPool::Lease> first(lease(two, "a"));
  const WorkerPool::Lease second = lease(two, "b");
  for (const Millis wait : {Millis{-5}, Millis{0}, Millis{1}, Millis{100}}) {
    const auto start = WorkerPool::Clock::now();
    const auto refused = two.acquire("c", in(wait));
    EXPECT_LE(WorkerPool::Clock::now() - start, wait + Millis{10'000});
    EXPECT_GE(WorkerPool::Clock::now() - start, wait);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kCapacity);
    EXPECT_EQ(refused.error().not_dispatched, NotDispatchedReason::kCapacity);
  }
  // Those who gave up are forgotten: the slot is for who comes now.
  first.reset();
  EXPECT_TRUE(two.acquire("d", in(Millis{1'000} * kSlowness)));
}

TEST_F(WorkerPoolTest, NoWorkerServesTwoCallers) {
  WorkerPool& some = pool({.ready = 2, .max_concurrent = 4});
  std::mt19937 engine(7);
  std::map<pid_t, std::string> served;
  const std::vector<std::string> callers = {"", "a", "aa", "b", std::string("a\0", 2), "A"};
  for (int run = 0; run < 60; ++run) {
    const std::string& caller = callers[engine() % callers.size()];
    const pid_t pid = serve(some, caller);
    const auto [known, first] = served.emplace(pid, caller);
    EXPECT_EQ(known->second, caller) << "worker " << pid;
  }
  EXPECT_GE(served.size(), callers.size());
}

TEST_F(WorkerPoolTest, NoWorkerServesTwoCallersAtOnceEither) {
  WorkerPool& some = pool({.ready = 2, .max_concurrent = 4});
  std::mutex mutex;
  std::map<pid_t, std::string> served;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, caller = std::string(1, static_cast<char>('a' + t % 3))] {
      for (int run = 0; run < 15; ++run) {
        const pid_t pid = serve(some, caller);
        const std::lock_guard lock(mutex);
        EXPECT_EQ(served.emplace(pid, caller).first->second, caller);
      }
    });
  }
}

TEST_F(WorkerPoolTest, TheSameCallerGetsItsWorkerAgain) {
  WorkerPool& some = pool({.ready = 1, .max_concurrent = 4});
  const pid_t mine = serve(some, "mine");
  (void)serve(some, "other");
  EXPECT_EQ(serve(some, "mine"), mine);
  {
    const WorkerPool::Lease dropped = lease(some, "mine");
  }  // not kept: it may not be sound
  EXPECT_NE(serve(some, "mine"), mine);
  EXPECT_TRUE(eventually([mine] { return is_gone(mine); }));
}

TEST_F(WorkerPoolTest, WithoutReuseEveryRunHasANewWorker) {
  WorkerPool& some = pool({.ready = 2, .max_concurrent = 2, .reuse = WorkerReuse::kNever});
  std::set<pid_t> pids;
  for (int run = 0; run < 10; ++run) {
    const pid_t pid = serve(some, "same");
    EXPECT_TRUE(pids.insert(pid).second);
    EXPECT_TRUE(eventually([pid] { return is_gone(pid); }));
  }
}

TEST_F(WorkerPoolTest, IdleWorkersBeyondTheSlotsAreEvictedOldestFirst) {
  WorkerPool& two = pool({.ready = 1, .max_concurrent = 2});
  const pid_t a = serve(two, "a");
  const pid_t b = serve(two, "b");
  EXPECT_EQ(serve(two, "a"), a);  // now b is the oldest
  const pid_t c = serve(two, "c");
  EXPECT_TRUE(eventually([b] { return is_gone(b); }));
  EXPECT_EQ(serve(two, "a"), a);
  EXPECT_EQ(serve(two, "c"), c);
  EXPECT_NE(serve(two, "b"), b);
}

TEST_F(WorkerPoolTest, EverySlotComesBackWhateverBecomesOfItsWorker) {
  constexpr unsigned kSlots = 3;
  WorkerPool& some = pool({.ready = 2, .max_concurrent = kSlots});
  std::mt19937 engine(11);
  for (int round = 0; round < 1'000; ++round) {
    const std::string caller(1, static_cast<char>('a' + engine() % 4));
    WorkerPool::Lease mine = lease(some, caller);
    switch (engine() % 10) {
      case 0:
        mine.worker().kill();
        break;
      case 1:
        (void)factory_.bury(mine.take_worker());
        break;
      case 2:
        ASSERT_TRUE(mine.replace_worker());
        break;
      case 3:
        ::kill(pid_of(mine.worker()), SIGKILL);
        mine.keep_worker(caller);  // nobody has noticed
        break;
      case 4: {
        const WorkerPool::Lease moved = std::move(mine);
        break;
      }
      default:
        mine.keep_worker(caller);
        break;
    }
  }
  std::vector<WorkerPool::Lease> all;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    auto free = some.acquire("last", in(Millis{1'000} * kSlowness));
    ASSERT_TRUE(free) << "slot " << slot << " was lost";
    all.push_back(*std::move(free));
  }
  EXPECT_EQ(some.acquire("last", in(Millis{1})).error().code, ErrorCode::kCapacity);
}

TEST_F(WorkerPoolTest, WithoutWorkersTheSlotIsNotLost) {
  WorkerFactory broken(worker_program(), "/nonexistent/plimsoll-worker", 64);
  WorkerPool none(broken, {.ready = 1, .max_concurrent = 1});
  EXPECT_EQ(none.fill().error().code, ErrorCode::kNotReady);
  for (int round = 0; round < 5; ++round) {
    const auto refused = none.acquire("a", in(kPatience));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kNotReady);
  }
}

TEST_F(WorkerPoolTest, ItsEndIsTheEndOfItsWorkers) {
  WorkerPool& some = pool({.ready = 2, .max_concurrent = 2});
  ASSERT_TRUE(some.fill());
  (void)serve(some, "a");
  pool_.reset();
  EXPECT_TRUE(eventually([] { return descendants("plimsoll-worker").empty(); }));
}

}  // namespace
}  // namespace plimsoll::wasm
