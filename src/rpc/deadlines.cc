#include "rpc/deadlines.h"

#include <utility>

#include "rpc/event_loop.h"

namespace plimsoll::rpc {

class Deadlines::Deadline final : public Loop::Timer {
 public:
  Deadline(Queue& queue, SteadyTime time, Loop::Task task)
      : queue_(queue), task_(std::move(task)), at_(queue.emplace(time, this)) {}
  ~Deadline() override {
    if (at_ != queue_.end()) queue_.erase(at_);
  }

  // The task may destroy this.
  void come() {
    queue_.erase(std::exchange(at_, queue_.end()));
    Loop::Task task = std::move(task_);
    task();
  }

 private:
  Queue& queue_;
  Loop::Task task_;
  Queue::iterator at_;
};

Deadlines::Deadlines(EventLoop& loop) : loop_(loop), timer_(loop.io()) {}

std::unique_ptr<Loop::Timer> Deadlines::add(SteadyTime time, Loop::Task task) {
  auto deadline = std::make_unique<Deadline>(queue_, time, std::move(task));
  arm();
  return deadline;
}

void Deadlines::arm() {
  if (queue_.empty() || queue_.begin()->first >= armed_) return;
  armed_ = queue_.begin()->first;
  timer_.expires_at(armed_);
  timer_.async_wait(loop_.in_turn([this](const auto& error) {
    if (!error) run_due();
  }));
}

void Deadlines::run_due() {
  armed_ = SteadyTime::max();
  const SteadyTime now = loop_.now();
  while (!queue_.empty() && queue_.begin()->first <= now) queue_.begin()->second->come();
  arm();
}

}  // namespace plimsoll::rpc
