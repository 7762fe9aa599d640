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

// OpenSSL writes without MSG_NOSIGNAL. The signal goes to the thread that writes, and waits there
// for ever; the process's own disposition, which children inherit, stays what it is.
void block_sigpipe() {
  thread_local bool is_blocked = false;
  if (is_blocked) return;
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  is_blocked = ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr) == 0;
}

}  // namespace

EventLoop::EventLoop(const Limits& limits, WorkerPool& workers)
    : work_(boost::asio::make_work_guard(io_)),
      ticker_(io_),
      deadlines_(*this),
      tick_every_(tick_interval(limits)),
      workers_(workers) {}

EventLoop::~EventLoop() { stop(); }

void EventLoop::start() {
  arm_tick();
  leading_ = true;
  Task first = [this] { lead(); };
  if (!workers_.hand_over(first)) leading_ = false;  // the pool has ended
}

void EventLoop::lead() {
  block_sigpipe();
  while (io_.run_one() != 0) {
    if (!next_) continue;
    Offloaded next = *std::exchange(next_, std::nullopt);
    Task lead_on = [this] { lead(); };
    if (workers_.hand_over_and_run(lead_on, next.job)) return;
    if (!workers_.submit(std::move(next.job))) enter(std::move(next.refused));
  }
  const std::scoped_lock lock(leading_mutex_);
  leading_ = false;
  led_.notify_all();
}

void EventLoop::stop() {
  {
    const std::scoped_lock lock(leading_mutex_);
    if (!leading_) return;
  }
  post([this] {
    stopping_ = true;
    ticker_.cancel();
    deadlines_.cancel();
    while (!connections_.empty()) {
      const std::shared_ptr<Connection> connection = connections_.begin()->second;
      connection->abort();
      connections_.erase(connection.get());
    }
    // What waits is canceled, what is queued is run: then the thread has nothing left.
    work_.reset();
  });
  std::unique_lock lock(leading_mutex_);
  led_.wait(lock, [this] { return !leading_; });
}

void EventLoop::post(Task task) { boost::asio::post(io_, in_turn(std::move(task))); }

void EventLoop::enter(Task task) {
  block_sigpipe();
  const std::scoped_lock lock(turn_);
  Task own = std::move(task);  // what it holds is released within the turn
  own();
}

void EventLoop::offload(Task job, Task refused) {
  if (offloads_ == Offloads::kHere && !next_) {
    next_ = Offloaded{.job = std::move(job), .refused = std::move(refused)};
  } else if (!workers_.submit(std::move(job))) {
    refused();
  }
}

std::unique_ptr<Loop::Timer> EventLoop::at(SteadyTime time, Task task) {
  return deadlines_.add(time, std::move(task));
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
  ticker_.async_wait(in_turn([this](const auto& error) {
    if (error || stopping_) return;
    tick();
    arm_tick();
  }));
}

void EventLoop::tick() {
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) connection->tick();
}

}  // namespace plimsoll::rpc
