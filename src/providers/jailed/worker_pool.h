// Ready workers, and whose turn it is: at most max_concurrent runs in flight, first come first
// served; a worker that has served a caller never serves another.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/pool_state.h"
#include "plimsoll/result.h"
#include "plimsoll/sandbox.h"
#include "providers/jailed/worker_factory.h"
#include "providers/jailed/worker_process.h"

namespace plimsoll::jailed {

struct PoolOptions {
  std::string_view pool = "worker";  // its name, for the metrics; static storage
  unsigned ready = 1;                // workers kept that nobody has used yet
  unsigned max_concurrent = 8;       // leases at a time
  WorkerReuse reuse = WorkerReuse::kCaller;
};

// Thread-safe. The factory must outlive it.
class WorkerPool {
 public:
  using Clock = std::chrono::steady_clock;

  WorkerPool(WorkerFactory& factory, PoolOptions options);
  // No lease may be out.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // One slot and one worker. The slot comes back when the lease ends; the worker does only by
  // keep_worker().
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), worker_(std::move(other.worker_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->end_lease();
    }

    [[nodiscard]] WorkerProcess& worker() noexcept { return *worker_; }
    // Takes the worker out, e.g. to bury it.
    [[nodiscard]] WorkerProcess take_worker() noexcept { return std::move(*worker_); }
    // Whether no other slot is taken now.
    [[nodiscard]] bool is_alone() const;
    // The worker is as good as new for the same caller.
    void keep_worker(std::string_view caller);
    // Another worker in the same slot. Errors: kNotReady.
    [[nodiscard]] Result<void> replace_worker();

   private:
    friend class WorkerPool;
    Lease(WorkerPool* pool, std::unique_ptr<WorkerProcess> worker) noexcept
        : pool_(pool), worker_(std::move(worker)) {}
    WorkerPool* pool_;
    std::unique_ptr<WorkerProcess> worker_;
  };

  // Waits for a slot until `until`, then for a worker. Errors: kCapacity, kCanceled, kNotReady;
  // nothing ran.
  [[nodiscard]] Result<Lease> acquire(std::string_view caller, Clock::time_point until,
                                      const std::stop_token& cancel = {});

  // Fills up to options.ready workers now, and from now on in the background. Errors: kNotReady.
  [[nodiscard]] Result<void> fill();

  // How many workers there are now, by what they do. `ends` is left empty.
  [[nodiscard]] PoolState state() const;

  // What was measured of a worker that is ready now; tier kUnknown when there is none.
  [[nodiscard]] IsolationEvidence ready_evidence();

 private:
  struct Used {
    std::string caller;
    std::unique_ptr<WorkerProcess> worker;
  };
  struct Waiter {
    std::condition_variable_any granted_signal;
    bool granted = false;
  };

  void end_lease();
  [[nodiscard]] Result<void> start_keeper();
  [[nodiscard]] Result<void> fill_up();
  [[nodiscard]] Result<std::unique_ptr<WorkerProcess>> make_worker();
  [[nodiscard]] std::unique_ptr<WorkerProcess> take_ready(std::string_view caller);
  void keep_full(const std::stop_token& stop);

  WorkerFactory& factory_;
  const PoolOptions options_;
  mutable std::mutex mutex_;
  unsigned leased_ = 0;
  std::deque<Waiter*> waiters_;                        // oldest first
  std::deque<std::unique_ptr<WorkerProcess>> unused_;  // oldest first
  std::list<Used> used_;                               // least recently used first
  std::condition_variable_any refill_;
  bool refill_wanted_ = false;
  std::jthread keeper_;  // last: it uses all of the above
};

}  // namespace plimsoll::jailed
