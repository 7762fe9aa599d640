#include "providers/docker/container_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {
// After a container could not be made in the background, how long until the next try.
constexpr std::chrono::seconds kRetry{1};
// How long the making of the next one waits, so that it does not compete with the run that took
// one.
constexpr std::chrono::milliseconds kRefillDelay{10};
}  // namespace

ContainerPool::~ContainerPool() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
}

Result<ContainerPool::Lease> ContainerPool::acquire(Clock::time_point until,
                                                    const std::stop_token& cancel) {
  std::unique_lock lock(mutex_);
  if (leased_ < options_.max_concurrent && waiters_.empty()) {
    ++leased_;
    return Lease(this);
  }
  Waiter waiter;
  waiters_.push_back(&waiter);
  // Whoever ends a lease grants its slot to the oldest waiter.
  if (waiter.granted_signal.wait_until(lock, cancel, until, [&] { return waiter.granted; })) {
    return Lease(this);
  }
  std::erase(waiters_, &waiter);
  if (cancel.stop_requested()) return canceled_before_dispatch();
  return std::unexpected(
      Error{.code = ErrorCode::kCapacity,
            .message = fmt::format("all {} slots were busy for the whole of the request's timeout; "
                                   "nothing ran",
                                   options_.max_concurrent),
            .not_dispatched = NotDispatchedReason::kCapacity});
}

void ContainerPool::end_lease() {
  const std::lock_guard lock(mutex_);
  if (waiters_.empty()) {
    --leased_;
    return;
  }
  Waiter* next = waiters_.front();
  waiters_.pop_front();
  next->granted = true;
  next->granted_signal.notify_one();
}

std::unique_ptr<Container> ContainerPool::take_ready() {
  std::deque<std::unique_ptr<Container>> dead;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  while (!ready_.empty()) {
    auto container = std::move(ready_.front());
    ready_.pop_front();
    refill_wanted_ = true;
    refill_.notify_one();
    if (container->lives()) return container;
    dead.push_back(std::move(container));
  }
  return nullptr;
}

// Not in the constructor, which has no way to say that there is no thread to be had.
Result<void> ContainerPool::start_keeper() {
  const std::lock_guard lock(mutex_);
  if (keeper_.joinable() || options_.ready == 0) return {};
  try {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep_full(stop); });
  } catch (const std::system_error& error) {
    return not_ready(fmt::format("no thread for the pool of containers: {}", error.what()));
  }
  return {};
}

Result<void> ContainerPool::fill() {
  if (auto filled = fill_up({}); !filled) return filled;
  return start_keeper();
}

Result<void> ContainerPool::fill_up(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      if (ready_.size() >= options_.ready) return {};
    }
    auto container = make_(stop);
    if (!container) return std::unexpected(std::move(container).error());
    const std::lock_guard lock(mutex_);
    ready_.push_back(*std::move(container));
  }
  return {};
}

PoolState ContainerPool::state() const {
  const std::lock_guard lock(mutex_);
  return {.pool = "container",
          .ready = static_cast<std::uint32_t>(ready_.size()),
          .busy = leased_,
          .waiting = static_cast<std::uint32_t>(waiters_.size()),
          .ends = {}};
}

void ContainerPool::keep_full(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (refill_.wait(lock, stop, [this] { return refill_wanted_; })) {
    refill_.wait_for(lock, stop, kRefillDelay, [] { return false; });
    if (stop.stop_requested()) return;
    refill_wanted_ = false;
    lock.unlock();
    const bool full = fill_up(stop).has_value();
    lock.lock();
    if (full) continue;
    refill_wanted_ = true;
    refill_.wait_for(lock, stop, kRetry, [] { return false; });
  }
}

}  // namespace plimsoll::docker
