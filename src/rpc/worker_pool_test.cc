#include "rpc/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "rpc/body_budget.h"

namespace plimsoll::rpc {
namespace {

TEST(WorkerPool, RefusesWhatNeitherRunsNorFits) {
  WorkerPool pool(2, 1);
  std::promise<void> go;
  const std::shared_future<void> gate = go.get_future().share();
  std::atomic<int> running{0};
  std::atomic<int> done{0};
  const auto job = [&, gate] {
    ++running;
    gate.wait();
    ++done;
  };
  ASSERT_TRUE(pool.submit(job));
  ASSERT_TRUE(pool.submit(job));
  while (running != 2) std::this_thread::yield();
  EXPECT_TRUE(pool.submit(job));
  EXPECT_FALSE(pool.submit(job));
  go.set_value();
  pool.stop();
  EXPECT_EQ(done, 3) << "what was taken is run";
  EXPECT_FALSE(pool.submit(job));
}

TEST(WorkerPool, TheLeadGoesOnlyToAThreadThatIsFree) {
  WorkerPool pool(1, 1, 1);
  std::promise<void> go;
  const std::shared_future<void> gate = go.get_future().share();
  std::promise<void> leads;
  WorkerPool::Job lead = [&, gate] {
    leads.set_value();
    gate.wait();
  };
  ASSERT_TRUE(pool.hand_over(lead));
  leads.get_future().wait();
  std::promise<void> works;
  ASSERT_TRUE(pool.submit([&, gate] {
    works.set_value();
    gate.wait();
  }));
  works.get_future().wait();
  WorkerPool::Job again = [] {};
  EXPECT_FALSE(pool.hand_over(again));
  EXPECT_TRUE(again) << "it is still the caller's";
  EXPECT_TRUE(pool.submit([] {})) << "a place in the queue";
  EXPECT_FALSE(pool.submit([] {}));
  go.set_value();
}

TEST(WorkerPool, FinishWaitsForJobsAndNotForWhoLeads) {
  WorkerPool pool(2, 1, 1);
  std::promise<void> end;
  WorkerPool::Job lead = [ended = end.get_future().share()] { ended.wait(); };
  ASSERT_TRUE(pool.hand_over(lead));
  std::atomic<bool> is_done{false};
  ASSERT_TRUE(pool.submit([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_done = true;
  }));
  pool.finish();
  EXPECT_TRUE(is_done);
  EXPECT_FALSE(pool.submit([] {}));
  WorkerPool::Job on = [] {};
  EXPECT_TRUE(pool.hand_over(on)) << "who leads can still change";
  end.set_value();
}

TEST(WorkerPool, FinishWaitsForAJobOfAThreadThatHandedItsLeadOver) {
  WorkerPool pool(1, 1, 1);
  std::promise<void> started;
  std::promise<void> go;
  std::atomic<bool> is_done{false};
  WorkerPool::Job next_lead = [] {};
  WorkerPool::Job job = [&] {
    started.set_value();
    go.get_future().wait();
    is_done = true;
  };
  WorkerPool::Job lead = [&] { EXPECT_TRUE(pool.hand_over_and_run(next_lead, job)); };
  ASSERT_TRUE(pool.hand_over(lead));
  started.get_future().wait();
  std::jthread other([&] { go.set_value(); });
  pool.finish();
  EXPECT_TRUE(is_done);

  WorkerPool::Job unled = [] { ADD_FAILURE() << "the lead was given away"; };
  WorkerPool::Job unseen = [] { ADD_FAILURE() << "a job that nobody waits for"; };
  EXPECT_FALSE(pool.hand_over_and_run(unled, unseen));
  EXPECT_TRUE(unled && unseen) << "they are still the caller's";
}

TEST(BodyBudget, BoundsBytesAndLargeBodies) {
  BodyBudget budget({.bodies = 1, .small_body_bytes = 10, .buffered_bytes = 100});
  BodyBudget::Permit small(budget);
  BodyBudget::Permit large(budget);
  EXPECT_TRUE(small.grow(10));
  EXPECT_TRUE(large.grow(11));
  EXPECT_FALSE(small.grow(1)) << "a second large one";
  EXPECT_TRUE(large.grow(79));
  EXPECT_FALSE(large.grow(1)) << "more bytes than there are";
  BodyBudget::Permit moved = std::move(large);
  moved.release();
  EXPECT_TRUE(small.grow(90));
}

}  // namespace
}  // namespace plimsoll::rpc
