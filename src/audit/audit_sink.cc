#include "audit/audit_sink.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "audit/json_object.h"

namespace plimsoll {
namespace {

constexpr int kPollMs = 100;
constexpr std::chrono::milliseconds kPause{100};  // after a write that failed

// Whether a write of at most PIPE_BUF bytes would not block.
bool is_writable(int fd) {
  pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&wait, 1, kPollMs) > 0;
}

}  // namespace

FdAuditSink::FdAuditSink(int fd, const Clock& clock, const AuditQueueLimits& limits)
    : fd_(fd), clock_(clock), limits_(limits), writer_([this] { serve(); }) {}

FdAuditSink::~FdAuditSink() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

bool FdAuditSink::accepts() const {
  const std::scoped_lock lock(mutex_);
  return !failing_ && lines_.size() < limits_.accept_below;
}

std::uint64_t FdAuditSink::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void FdAuditSink::write(const AuditLine& line) {
  std::string text = to_json_line(line);
  const bool was_dispatched = line.outcome != AuditOutcome::kRefused;
  {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() >= (was_dispatched ? limits_.keep : limits_.accept_below)) {
      ++dropped_;
      return;
    }
    tell_dropped();
    lines_.push_back(std::move(text));
  }
  changed_.notify_one();
}

// With the lock held: the gap is told where it is.
void FdAuditSink::tell_dropped() {
  if (dropped_ == told_dropped_ || lines_.size() + 1 >= limits_.accept_below) return;
  JsonObject json;
  json.text("time", to_rfc3339(clock_.wall_now()))
      .text("stream", "audit")
      .text("event", "audit_lines_dropped")
      .number("count", dropped_ - told_dropped_);
  lines_.push_back(json.take() + "\n");
  told_dropped_ = dropped_;
}

FdAuditSink::Wrote FdAuditSink::write_some(std::string& line) const {
  if (!is_writable(fd_)) return Wrote::kNothingYet;
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written < 0) {
    return errno == EAGAIN || errno == EINTR ? Wrote::kNothingYet : Wrote::kFailed;
  }
  line.erase(0, static_cast<std::size_t>(written));
  return written > 0 ? Wrote::kSome : Wrote::kFailed;
}

void FdAuditSink::serve() {
  std::string rest;  // of the line that is being written
  std::chrono::steady_clock::time_point give_up{};
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this, &rest] { return ending_ || !lines_.empty() || !rest.empty(); });
    if (rest.empty() && !lines_.empty()) {
      rest = std::move(lines_.front());
      lines_.pop_front();
    }
    if (ending_) {
      const auto now = std::chrono::steady_clock::now();
      if (give_up == std::chrono::steady_clock::time_point{}) {
        give_up = now + limits_.flush_patience;
      }
      if (rest.empty() || now >= give_up) return;
    }
    lock.unlock();
    const Wrote wrote = write_some(rest);
    if (wrote == Wrote::kFailed) std::this_thread::sleep_for(kPause);
    lock.lock();
    if (wrote != Wrote::kNothingYet) failing_ = wrote == Wrote::kFailed;
  }
}

}  // namespace plimsoll
