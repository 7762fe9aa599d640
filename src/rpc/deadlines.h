// Deadlines of calls, most of which are dropped long before they come.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "rpc/exchange.h"

namespace plimsoll::rpc {

class EventLoop;

// One timer of the system for all of them. It is set only for an earlier time, and dropping a
// deadline leaves it alone: neither is worth waking the thread that leads the loop. Only used in
// the loop's turns.
class Deadlines {
 public:
  explicit Deadlines(EventLoop& loop);

  [[nodiscard]] std::unique_ptr<Loop::Timer> add(SteadyTime time, Loop::Task task);
  // No task is run any more.
  void cancel() { timer_.cancel(); }

 private:
  class Deadline;
  using Queue = std::multimap<SteadyTime, Deadline*>;

  void arm();
  void run_due();

  EventLoop& loop_;
  boost::asio::steady_timer timer_;
  SteadyTime armed_ = SteadyTime::max();
  Queue queue_;
};

}  // namespace plimsoll::rpc
