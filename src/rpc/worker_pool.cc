#include "rpc/worker_pool.h"

#include <utility>

namespace plimsoll::rpc {

// Whether a thread is free for one more item, started if need be.
bool WorkerPool::find_thread() {
  if (queue_.size() < idle_) return true;
  if (threads_.size() == max_threads_) return false;
  threads_.emplace_back([this] { run(); });
  return true;
}

bool WorkerPool::submit(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    if (finishing_) return false;
    if (!find_thread() && queue_.size() >= idle_ + max_queued_) return false;
    queue_.push_back({.job = std::move(job)});
    ++jobs_;
  }
  wake_.notify_one();
  return true;
}

bool WorkerPool::pass_lead(Job& lead) {
  if (stopping_ || !find_thread()) return false;
  queue_.push_front({.job = std::move(lead), .leads = true});
  return true;
}

bool WorkerPool::hand_over(Job& lead) {
  {
    const std::scoped_lock lock(mutex_);
    if (!pass_lead(lead)) return false;
  }
  wake_.notify_one();
  return true;
}

bool WorkerPool::hand_over_and_run(Job& lead, Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    // Counted with the lead: from then on nothing but this count keeps what the job needs.
    if (finishing_ || !pass_lead(lead)) return false;
    ++jobs_;
  }
  wake_.notify_one();
  std::exchange(job, nullptr)();  // what it holds is released before the job is over
  const std::scoped_lock lock(mutex_);
  ended();
  return true;
}

void WorkerPool::ended() {
  if (--jobs_ == 0) none_.notify_all();
}

void WorkerPool::finish() {
  std::unique_lock lock(mutex_);
  finishing_ = true;
  none_.wait(lock, [this] { return jobs_ == 0; });
}

void WorkerPool::stop() {
  finish();
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
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    item.job();
    item.job = nullptr;  // what it holds is released outside of the lock
    lock.lock();
    if (!item.leads) ended();
  }
}

}  // namespace plimsoll::rpc
