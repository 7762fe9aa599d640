#include "providers/jailed/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "providers/jailed/failure.h"

namespace plimsoll::jailed {

namespace {
// After a worker could not be made in the background, how long until the next try.
constexpr std::chrono::milliseconds kRetry{250};
// How long the first worker that was taken is not replaced. A program with one snippet ends before;
// until then the making of another worker competes with the snippet for a processor.
constexpr std::chrono::milliseconds kFirstRefillDelay{3};
}  // namespace

WorkerPool::WorkerPool(WorkerFactory& factory, PoolOptions options)
    : factory_(factory), options_(options) {}

WorkerPool::~WorkerPool() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
}

Result<std::unique_ptr<WorkerProcess>> WorkerPool::make_worker() {
  auto worker = factory_.make();
  if (!worker) return std::unexpected(std::move(worker).error());
  return std::make_unique<WorkerProcess>(std::move(*worker));
}

std::unique_ptr<WorkerProcess> WorkerPool::take_ready(std::string_view caller) {
  const auto mine = std::find_if(used_.rbegin(), used_.rend(),
                                 [caller](const Used& used) { return used.caller == caller; });
  if (mine != used_.rend()) {
    auto worker = std::move(mine->worker);
    used_.erase(std::next(mine).base());
    return worker;
  }
  if (unused_.empty()) return nullptr;
  auto worker = std::move(unused_.front());
  unused_.pop_front();
  refill_wanted_ = true;
  refill_.notify_one();
  return worker;
}

Result<WorkerPool::Lease> WorkerPool::acquire(std::string_view caller, Clock::time_point until,
                                              const std::stop_token& cancel) {
  std::unique_ptr<WorkerProcess> worker;
  {
    std::unique_lock lock(mutex_);
    if (leased_ < options_.max_concurrent && waiters_.empty()) {
      ++leased_;
    } else {
      Waiter waiter;
      waiters_.push_back(&waiter);
      // Whoever ends a lease grants its slot to the oldest waiter.
      if (!waiter.granted_signal.wait_until(lock, cancel, until, [&] { return waiter.granted; })) {
        std::erase(waiters_, &waiter);
        if (cancel.stop_requested()) return canceled_before_dispatch();
        return std::unexpected(
            Error{.code = ErrorCode::kCapacity,
                  .message = fmt::format("all {} slots were busy for the whole of the request's "
                                         "timeout; nothing ran",
                                         options_.max_concurrent),
                  .not_dispatched = NotDispatchedReason::kCapacity});
      }
    }
    worker = take_ready(caller);
  }
  Lease lease(this, std::move(worker));
  if (lease.worker_ == nullptr) {
    if (auto made = lease.replace_worker(); !made) return std::unexpected(std::move(made).error());
  }
  return lease;
}

void WorkerPool::end_lease() {
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

bool WorkerPool::Lease::is_alone() const {
  const std::lock_guard lock(pool_->mutex_);
  return pool_->leased_ == 1;
}

void WorkerPool::Lease::keep_worker(std::string_view caller) {
  if (pool_->options_.reuse == WorkerReuse::kNever) return;
  std::unique_ptr<WorkerProcess> surplus;  // destroyed, that is killed, without the lock
  const std::lock_guard lock(pool_->mutex_);
  pool_->used_.push_back({.caller = std::string(caller), .worker = std::move(worker_)});
  if (pool_->used_.size() > pool_->options_.max_concurrent) {
    surplus = std::move(pool_->used_.front().worker);
    pool_->used_.pop_front();
  }
}

Result<void> WorkerPool::Lease::replace_worker() {
  auto worker = pool_->make_worker();
  if (!worker) return std::unexpected(std::move(worker).error());
  worker_ = std::move(*worker);
  return {};
}

// Not in the constructor, which has no way to say that there is no thread to be had.
Result<void> WorkerPool::start_keeper() {
  const std::lock_guard lock(mutex_);
  if (keeper_.joinable()) return {};
  try {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep_full(stop); });
  } catch (const std::system_error& error) {
    return not_ready(fmt::format("no thread for the pool of workers: {}", error.what()));
  }
  return {};
}

Result<void> WorkerPool::fill() {
  if (auto started = start_keeper(); !started) return started;
  return fill_up();
}

Result<void> WorkerPool::fill_up() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (unused_.size() >= options_.ready) return {};
    }
    auto worker = make_worker();
    if (!worker) return std::unexpected(std::move(worker).error());
    const std::lock_guard lock(mutex_);
    if (unused_.size() < options_.ready) unused_.push_back(std::move(*worker));
  }
}

PoolState WorkerPool::state() const {
  const std::lock_guard lock(mutex_);
  return {.pool = options_.pool,
          .ready = static_cast<std::uint32_t>(unused_.size()),
          .kept = static_cast<std::uint32_t>(used_.size()),
          .busy = leased_,
          .waiting = static_cast<std::uint32_t>(waiters_.size()),
          .ends = {}};
}

IsolationEvidence WorkerPool::ready_evidence() {
  const std::lock_guard lock(mutex_);
  return unused_.empty() ? IsolationEvidence{} : unused_.front()->evidence();
}

// The first fill() is ensure_ready()'s, so that its errors reach the caller; later ones are done
// here.
void WorkerPool::keep_full(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  auto delay = kFirstRefillDelay;
  while (refill_.wait(lock, stop, [this] { return refill_wanted_; })) {
    refill_.wait_for(lock, stop, std::exchange(delay, {}), [] { return false; });
    if (stop.stop_requested()) return;
    refill_wanted_ = false;
    lock.unlock();
    const bool full = fill_up().has_value();
    lock.lock();
    if (full) continue;
    refill_wanted_ = true;
    refill_.wait_for(lock, stop, kRetry, [] { return false; });
  }
}

}  // namespace plimsoll::jailed
