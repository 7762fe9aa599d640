#include "rpc/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

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
