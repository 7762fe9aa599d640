#include "rpc/worker_pool.h"

#include <utility>

namespace plimsoll::rpc {

bool WorkerPool::submit(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    const bool all_started = threads_.size() == max_threads_;
    if (queue_.size() >= idle_) {
      // Nobody is free for this one.
      if (!all_started) {
        threads_.emplace_back([this] { run(); });
      } else if (queue_.size() >= idle_ + max_queued_) {
        return false;
      }
    }
    queue_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds is released outside of the lock
    lock.lock();
  }
}

}  // namespace plimsoll::rpc
