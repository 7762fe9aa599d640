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
// A write that took longer than this (a file on a busy disk) is not waited for again so soon.
constexpr std::chrono::seconds kSlowPause{1};

// Whether a write of at most PIPE_BUF bytes would not block.
bool is_writable(int fd, int patience_ms) {
  pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&wait, 1, patience_ms) > 0;
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
    if (write_now(text)) return;
    lines_.push_back(std::move(text));
  }
  changed_.notify_one();
}

// With the lock held, which keeps the order. False: `line`, or what is left of it, is the thread's.
bool FdAuditSink::write_now(std::string& line) {
  const auto began = std::chrono::steady_clock::now();
  if (!lines_.empty() || is_writing_ || failing_ || began < slow_until_) return false;
  if (!is_writable(fd_, 0)) return false;
  const ssize_t written = ::write(fd_, line.data(), line.size());
  const auto ended = std::chrono::steady_clock::now();
  if (ended - began > limits_.slow_write) slow_until_ = ended + kSlowPause;
  if (written > 0) line.erase(0, static_cast<std::size_t>(written));
  return line.empty();
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
  if (!is_writable(fd_, kPollMs)) return Wrote::kNothingYet;
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
    // What was dropped last may have no line behind it to be told with.
    if (rest.empty() && lines_.empty()) tell_dropped();
    changed_.wait(lock, [this, &rest] { return ending_ || !lines_.empty() || !rest.empty(); });
    if (rest.empty() && !lines_.empty()) {
      rest = std::move(lines_.front());
      lines_.pop_front();
    }
    is_writing_ = !rest.empty();
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
    is_writing_ = !rest.empty();
  }
}

}  // namespace plimsoll
