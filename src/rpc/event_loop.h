// Serves connections: waits for what their sockets have, and for timers.
#pragma once

#include <array>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "rpc/deadlines.h"
#include "rpc/exchange.h"
#include "rpc/options.h"
#include "rpc/worker_pool.h"

namespace plimsoll::rpc {

class Connection;

// A thread of the pool leads it. A request's job runs on the thread that has read the request,
// which hands its lead over first; whoever has an answer takes a turn and sends it. So a call waits
// for two threads to wake less than if there were one thread for sockets and others for jobs.
//
// post() and enter() are thread-safe; everything else happens in a turn, or before start() and
// after stop().
class EventLoop final : public Loop {
 public:
  // `workers` has a place for its lead, and outlives it.
  EventLoop(const Limits& limits, WorkerPool& workers);
  ~EventLoop() override;

  void start();
  // Ends every connection, and leads no more. Idempotent.
  void stop();

  void post(Task task) override;
  void enter(Task task) override;
  void offload(Task job, Task refused) override;
  [[nodiscard]] std::unique_ptr<Timer> at(SteadyTime time, Task task) override;

  // Starts the connection, and keeps it until it is removed.
  void serve(const std::shared_ptr<Connection>& connection);
  void remove(const Connection& connection) { connections_.erase(&connection); }
  void drain();

  [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }
  // What asynchronous operations on io() complete with: `handler` in a turn.
  template <class Handler>
  [[nodiscard]] auto in_turn(Handler handler) {
    return [this, handler = std::move(handler)](auto&&... args) mutable
      requires std::invocable<Handler&, decltype(args)...>
    {
      const std::scoped_lock lock(turn_);
      Handler own = std::move(handler);  // what it holds is released within the turn
      offloads_ = Offloads::kHere;
      own(std::forward<decltype(args)>(args)...);
      offloads_ = Offloads::kToOthers;
    };
  }
  // For one read at a time.
  [[nodiscard]] std::span<char> read_buffer() noexcept { return buffer_; }
  [[nodiscard]] SteadyTime now() const noexcept { return std::chrono::steady_clock::now(); }

 private:
  enum class Offloads : std::uint8_t {
    kToOthers,
    kHere,  // a turn of the thread that leads: it can take a job when the turn ends
  };
  struct Offloaded {
    Task job;
    Task refused;
  };

  void lead();
  void arm_tick();
  void tick();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer ticker_;
  Deadlines deadlines_;
  const std::chrono::milliseconds tick_every_;
  std::unordered_map<const Connection*, std::shared_ptr<Connection>> connections_;
  std::array<char, std::size_t{64} << 10> buffer_{};
  bool stopping_ = false;

  WorkerPool& workers_;
  std::mutex turn_;
  Offloads offloads_ = Offloads::kToOthers;  // guarded by turn_
  std::optional<Offloaded> next_;            // set in a turn of who leads, who takes it after
  std::mutex leading_mutex_;
  std::condition_variable led_;
  bool leading_ = false;  // guarded by leading_mutex_
};

}  // namespace plimsoll::rpc
