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

// Thread-safe. Threads are started when work finds no idle one, so an idle server has few.
//
// One of its threads may lead: wait for what comes, and when that is work, hand the lead to another
// thread and do the work itself. Work that is passed on instead waits for a thread to wake.
class WorkerPool {
 public:
  using Job = std::move_only_function<void()>;

  // At most `threads` (one or more) jobs run, at most `queued` wait. `leads` is how many threads
  // lead, on top of `threads`.
  WorkerPool(std::size_t threads, std::size_t queued, std::size_t leads = 0)
      : max_threads_(threads + leads), max_queued_(queued) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // As stop().
  ~WorkerPool() { stop(); }

  // False: every thread is busy and the queue is full, or finish() was called; `job` did not run. A
  // job must not throw.
  [[nodiscard]] bool submit(Job job);

  // Gives `lead` to a thread that is free for it at once. False: there is none, and `lead` is as it
  // was.
  [[nodiscard]] bool hand_over(Job& lead);
  // The same, and then runs `job` on this thread, which led until now. False: no thread was free or
  // finish() was called; both are as they were, and this thread still leads.
  [[nodiscard]] bool hand_over_and_run(Job& lead, Job& job);

  // Takes no more jobs, runs what is queued and waits for every job; those who lead go on.
  void finish();
  // finish(), and joins the threads. Nobody may lead for ever.
  void stop();

 private:
  struct Item {
    Job job;
    bool leads = false;
  };

  void run();
  [[nodiscard]] bool find_thread();         // with the lock
  [[nodiscard]] bool pass_lead(Job& lead);  // with the lock
  void ended();                             // with the lock

  const std::size_t max_threads_;
  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable none_;      // neither queued nor running jobs are left
  std::deque<Item> queue_;            // guarded by mutex_
  std::vector<std::thread> threads_;  // guarded by mutex_
  std::size_t idle_ = 0;              // guarded by mutex_; threads that wait
  std::size_t jobs_ = 0;              // guarded by mutex_; queued or running, without leads
  bool finishing_ = false;            // guarded by mutex_
  bool stopping_ = false;             // guarded by mutex_
};

}  // namespace plimsoll::rpc
