// A thread that serves connections.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <unordered_map>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "rpc/exchange.h"
#include "rpc/options.h"

namespace plimsoll::rpc {

class Connection;

// post() is thread-safe; everything else happens on its thread, or before start() and after stop().
class EventLoop final : public Loop {
 public:
  explicit EventLoop(const Limits& limits);
  ~EventLoop() override;

  void start();
  // Ends every connection and the thread. Idempotent.
  void stop();

  void post(Task task) override;
  [[nodiscard]] std::unique_ptr<Timer> at(SteadyTime time, Task task) override;

  // Starts the connection, and keeps it until it is removed.
  void serve(const std::shared_ptr<Connection>& connection);
  void remove(const Connection& connection) { connections_.erase(&connection); }
  void drain();

  [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }
  // For one read at a time.
  [[nodiscard]] std::span<char> read_buffer() noexcept { return buffer_; }
  [[nodiscard]] SteadyTime now() const noexcept { return std::chrono::steady_clock::now(); }

 private:
  void arm_tick();
  void tick();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer ticker_;
  const std::chrono::milliseconds tick_every_;
  std::unordered_map<const Connection*, std::shared_ptr<Connection>> connections_;
  std::array<char, std::size_t{64} << 10> buffer_{};
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace plimsoll::rpc
