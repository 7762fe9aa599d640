// Where audit lines go.
//
// The policy when they cannot be written: no run without its line. A sink that does not accept
// makes the service refuse new runs, before dispatch (AuditRefusal::kAuditStalled). The line of a
// run that was dispatched is kept until it can be written; the lines of refusals, of which an
// attacker makes as many as it likes, may be dropped while the sink does not accept. They are
// counted, and the stream says how many.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "audit/audit_line.h"
#include "base/clock.h"

namespace plimsoll {

// Implementations are safe for concurrent use, and do not wait for a reader.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Whether a run may be dispatched now. Asked before each dispatch.
  [[nodiscard]] virtual bool accepts() const = 0;
  virtual void write(const AuditLine& line) = 0;
  // Lines that were dropped since the start.
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;

 protected:
  AuditSink() = default;
  AuditSink(const AuditSink&) = default;
  AuditSink& operator=(const AuditSink&) = default;
};

// Bounds of an FdAuditSink.
struct AuditQueueLimits {
  // Lines that wait to be written. From here on the sink does not accept, and drops refusals.
  std::size_t accept_below = 4096;
  // Lines of dispatched runs are kept beyond that, up to here: more than runs can be in flight.
  std::size_t keep = 8192;
  // How long its end may take to write what waits.
  std::chrono::milliseconds flush_patience{2000};
  // A write that takes longer shows a descriptor that would hold runs up: the thread writes for a
  // while.
  std::chrono::milliseconds slow_write{5};
};

// Writes to a descriptor, a pipe mostly: lines whole and in order of write(), one write(2) each.
// As long as the descriptor takes them at once, a line is written when write() returns, so that no
// answer goes out before its line. What it does not take is left to a thread: a reader that is slow
// or gone does not hold up a run; it makes the sink stop accepting, until lines can be written
// again.
class FdAuditSink final : public AuditSink {
 public:
  // `fd` stays the caller's, and is open until this is destroyed; `clock` lives as long. SIGPIPE
  // has to be ignored.
  FdAuditSink(int fd, const Clock& clock, const AuditQueueLimits& limits = {});
  FdAuditSink(const FdAuditSink&) = delete;
  FdAuditSink& operator=(const FdAuditSink&) = delete;
  ~FdAuditSink() override;

  [[nodiscard]] bool accepts() const override;
  void write(const AuditLine& line) override;
  [[nodiscard]] std::uint64_t dropped() const override;

 private:
  void serve();
  [[nodiscard]] bool write_now(std::string& line);
  enum class Wrote : std::uint8_t { kSome, kNothingYet, kFailed };
  // Takes off the front of `line` what was written.
  Wrote write_some(std::string& line) const;
  void tell_dropped();

  const int fd_;
  const Clock& clock_;
  const AuditQueueLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
  std::uint64_t told_dropped_ = 0;
  bool failing_ = false;                                // the last write did not succeed
  bool is_writing_ = false;                             // the thread has a line in its hands
  std::chrono::steady_clock::time_point slow_until_{};  // the thread alone writes until then
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace plimsoll
