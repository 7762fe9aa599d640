// Threads that may block, and a bounded queue before them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plimsoll::rpc {

// Thread-safe. Threads are started when work finds no idle one, so an idle server has none.
class WorkerPool {
 public:
  using Job = std::move_only_function<void()>;

  // At most `threads` (one or more) jobs run, at most `queued` wait.
  WorkerPool(std::size_t threads, std::size_t queued)
      : max_threads_(threads), max_queued_(queued) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // As stop().
  ~WorkerPool() { stop(); }

  // False: every thread is busy and the queue is full, or stop() was called; `job` did not run. A
  // job must not throw.
  [[nodiscard]] bool submit(Job job);

  // Runs what is queued, waits for every job, and joins the threads.
  void stop();

 private:
  void run();

  const std::size_t max_threads_;
  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> queue_;             // guarded by mutex_
  std::vector<std::thread> threads_;  // guarded by mutex_
  std::size_t idle_ = 0;              // guarded by mutex_; threads that wait
  bool stopping_ = false;             // guarded by mutex_
};

}  // namespace plimsoll::rpc
