// What all connections of a server share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rpc/body_budget.h"
#include "rpc/handler.h"
#include "rpc/options.h"
#include "rpc/worker_pool.h"

namespace plimsoll::rpc {

// The calls whose handler runs or waits for a worker. Thread-safe.
class CallsInFlight {
 public:
  // One call; counted while it lives. stop() reaches its token.
  class Entry {
   public:
    explicit Entry(CallsInFlight& calls);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();
    [[nodiscard]] std::stop_source& stop() noexcept { return stop_; }

   private:
    CallsInFlight& calls_;
    std::stop_source stop_;
  };

  [[nodiscard]] std::size_t count() const;
  // Waits until there are none, or `deadline`. Returns whether there are none.
  [[nodiscard]] bool wait_none(SteadyTime deadline);
  // Requests a stop of each.
  void stop_all();

 private:
  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::set<Entry*> entries_;  // guarded by mutex_
};

// An endpoint with the answer that it keeps. Thread-safe.
class KeptEndpoint {
 public:
  explicit KeptEndpoint(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
  [[nodiscard]] Runs runs() const noexcept { return endpoint_.runs; }
  // Calls the endpoint, or gives its last answer again. May block as the endpoint may.
  [[nodiscard]] PlainAnswer answer();

 private:
  const Endpoint endpoint_;
  std::mutex mutex_;
  PlainAnswer last_;        // guarded by mutex_
  SteadyTime last_time_{};  // guarded by mutex_; zero: never
};

struct PathHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
  std::size_t operator()(std::string_view path) const noexcept {
    return std::hash<std::string_view>{}(path);
  }
};
template <class T>
using PathMap = std::unordered_map<std::string, T, PathHash, std::equal_to<>>;

// What is found at the paths of a listener. Immutable once the server has started.
struct Routes {
  PathMap<Method> methods;
  PathMap<std::unique_ptr<KeptEndpoint>> endpoints;
  // What reflection tells: the services of `methods`; and its own pseudo-method, for hooks.
  std::vector<std::string> services;
  Method reflection;
};

struct ServerCore {
  explicit ServerCore(const ServerOptions& options)
      : hooks(options.hooks),
        limits(options.limits),
        budget(limits),
        workers(limits.workers, limits.queued_calls, options.io_threads) {}

  const Hooks hooks;
  const Limits limits;
  BodyBudget budget;
  CallsInFlight calls;
  std::atomic<bool> draining{false};
  std::atomic<std::size_t> connections{0};
  // Last, so that their threads end before what they use.
  WorkerPool workers;
  WorkerPool aside{1, 64};  // endpoints
};

}  // namespace plimsoll::rpc
