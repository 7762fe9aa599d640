#include "rpc/event_loop.h"

#include <signal.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "rpc/connection.h"

namespace plimsoll::rpc {

namespace {

// Deadlines are looked at this often; a short one, in a test, more often.
std::chrono::milliseconds tick_interval(const Limits& limits) {
  const auto shortest =
      std::min({limits.header_read, limits.body_read, limits.idle, limits.write_stall});
  return std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
}

class AsioTimer final : public Loop::Timer {
 public:
  AsioTimer(boost::asio::io_context& io, SteadyTime time, Loop::Task task)
      : timer_(io, time), task_(std::make_shared<Loop::Task>(std::move(task))) {
    timer_.async_wait([weak = std::weak_ptr<Loop::Task>(task_)](const auto& error) {
      const auto held = weak.lock();
      if (error || !held) return;
      (*held)();
    });
  }

 private:
  boost::asio::steady_timer timer_;
  std::shared_ptr<Loop::Task> task_;  // held by the timer; a call holds it for its own time
};

}  // namespace

EventLoop::EventLoop(const Limits& limits)
    : work_(boost::asio::make_work_guard(io_)), ticker_(io_), tick_every_(tick_interval(limits)) {}

EventLoop::~EventLoop() { stop(); }

void EventLoop::start() {
  arm_tick();
  thread_ = std::thread([this] {
    // OpenSSL writes without MSG_NOSIGNAL. The signal goes to the thread that writes, and waits
    // there for ever; the process's own disposition, which children inherit, stays what it is.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    io_.run();
  });
}

void EventLoop::stop() {
  if (!thread_.joinable()) return;
  boost::asio::post(io_, [this] {
    stopping_ = true;
    ticker_.cancel();
    while (!connections_.empty()) {
      const std::shared_ptr<Connection> connection = connections_.begin()->second;
      connection->abort();
      connections_.erase(connection.get());
    }
    // What waits is canceled, what is queued is run: then the thread has nothing left.
    work_.reset();
  });
  thread_.join();
}

void EventLoop::post(Task task) { boost::asio::post(io_, std::move(task)); }

std::unique_ptr<Loop::Timer> EventLoop::at(SteadyTime time, Task task) {
  return std::make_unique<AsioTimer>(io_, time, std::move(task));
}

void EventLoop::serve(const std::shared_ptr<Connection>& connection) {
  if (stopping_) return;
  connections_.emplace(connection.get(), connection);
  connection->start();
}

void EventLoop::drain() {
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) connection->drain();
}

void EventLoop::arm_tick() {
  ticker_.expires_after(tick_every_);
  ticker_.async_wait([this](const auto& error) {
    if (error || stopping_) return;
    tick();
    arm_tick();
  });
}

void EventLoop::tick() {
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) connection->tick();
}

}  // namespace plimsoll::rpc
