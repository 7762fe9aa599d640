// Whose turn it is, and containers that wait for it: at most max_concurrent runs in flight, first
// come first served; a container serves one run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/pool_state.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/docker/container.h"

namespace plimsoll::docker {

struct PoolOptions {
  unsigned ready = 0;           // containers kept
  unsigned max_concurrent = 8;  // leases at a time
};

// Thread-safe.
class ContainerPool {
 public:
  using Clock = std::chrono::steady_clock;
  using Made = Result<std::unique_ptr<Container>>;
  // Makes one to keep, unless it is told to stop; called on any thread.
  using Make = std::function<Made(const std::stop_token&)>;

  ContainerPool(Make make, PoolOptions options) : make_(std::move(make)), options_(options) {}
  // No lease may be out.
  ~ContainerPool();
  ContainerPool(const ContainerPool&) = delete;
  ContainerPool& operator=(const ContainerPool&) = delete;

  // One slot, which comes back when this ends.
  class Lease {
   public:
    Lease(Lease&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->end_lease();
    }

   private:
    friend class ContainerPool;
    explicit Lease(ContainerPool* pool) noexcept : pool_(pool) {}
    ContainerPool* pool_;
  };

  // Waits for a slot until `until`. Errors: kCapacity, kCanceled; nothing ran.
  [[nodiscard]] Result<Lease> acquire(Clock::time_point until, const std::stop_token& cancel = {});

  // A container that waits; null: there is none.
  [[nodiscard]] std::unique_ptr<Container> take_ready();

  // Fills up to options.ready containers now, and from now on in the background. Errors: kNotReady.
  [[nodiscard]] Result<void> fill();

  // How many there are now, by what they do. `ends` is left empty.
  [[nodiscard]] PoolState state() const;

 private:
  struct Waiter {
    std::condition_variable_any granted_signal;
    bool granted = false;
  };

  void end_lease();
  [[nodiscard]] Result<void> start_keeper();
  [[nodiscard]] Result<void> fill_up(const std::stop_token& stop);
  void keep_full(const std::stop_token& stop);

  const Make make_;
  const PoolOptions options_;
  mutable std::mutex mutex_;
  unsigned leased_ = 0;
  std::deque<Waiter*> waiters_;                   // oldest first
  std::deque<std::unique_ptr<Container>> ready_;  // oldest first
  std::condition_variable_any refill_;
  bool refill_wanted_ = false;
  std::jthread keeper_;  // last: it uses all of the above
};

}  // namespace plimsoll::docker
