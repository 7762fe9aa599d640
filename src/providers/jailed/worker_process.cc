#include "providers/jailed/worker_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <span>
#include <utility>

#include "base/fd_message.h"
#include "providers/jailed/failure.h"

namespace plimsoll::jailed {

namespace {

// A worker jails itself in about a millisecond.
constexpr std::chrono::seconds kReadyTimeout{5};

std::unexpected<Error> unfinished() { return not_ready("a worker did not finish its jail"); }

// Waits for kReady, and takes the descriptors that come with it. Errors: kNotReady, something else
// came, or nothing, or this process has no room for them.
Result<std::array<UniqueFd, kMaxMessageFds>> first_word(int channel) {
  const auto until = guest::GuestChannel::Clock::now() + kReadyTimeout;
  pollfd readable{.fd = channel, .events = POLLIN, .revents = 0};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - guest::GuestChannel::Clock::now());
    const int ready = ::poll(&readable, 1, std::max(0, static_cast<int>(left.count())));
    if (ready > 0) break;
    if (ready == 0 || errno != EINTR) return unfinished();
  }
  guest::HeaderBytes bytes{};
  ReceivedMessage got = receive_message(channel, std::as_writable_bytes(std::span(bytes)));
  if (got.error == EMSGSIZE) {
    return not_ready("this process has no room for a worker's descriptors (RLIMIT_NOFILE)");
  }
  if (got.error != 0 || got.size != bytes.size()) return unfinished();
  const auto header = guest::decode_header(bytes);
  if (!header || header->kind != guest::FrameKind::kReady || header->size != 0) {
    return unfinished();
  }
  return std::move(got.fds);
}

}  // namespace

Result<WorkerProcess> WorkerProcess::adopt(WorkerHandle handle, const WorkerProgram& program,
                                           ReadyProcess known) {
  UniqueFd channel = std::move(handle.channel);
  // With the handle from here on: whatever goes wrong, the process is killed.
  auto first = first_word(channel.get());
  WorkerProcess worker(std::move(handle), std::move(channel));
  if (!first) return std::unexpected(std::move(first).error());
  known.pidfd = worker.pidfd_.get();
  known.attached = std::move(*first);
  auto measured = program.measure(std::move(known));
  if (!measured) return std::unexpected(std::move(measured).error());
  worker.evidence_ = std::move(measured->evidence);
  worker.meter_ = std::move(measured->meter);
  return worker;
}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this == &other) return *this;
  kill();
  channel_ = std::move(other.channel_);
  pidfd_ = std::move(other.pidfd_);
  zygote_pid_ = other.zygote_pid_;
  generation_ = other.generation_;
  evidence_ = std::move(other.evidence_);
  meter_ = std::move(other.meter_);
  doubt_ = std::move(other.doubt_);
  return *this;
}

void WorkerProcess::send_kill() const noexcept {
  (void)::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

void WorkerProcess::kill() noexcept {
  if (!pidfd_) return;
  send_kill();
  pidfd_.reset();
  channel_.close();
}

RunReport WorkerProcess::run(const guest::RunHeader& run, const guest::RunText& text,
                             const std::stop_token& cancel, std::chrono::milliseconds grace) {
  // The process dies, its end of the channel closes, and the exchange below ends. Only the signal
  // is sent from the other thread; the descriptor stays open until the callback is gone.
  const std::stop_callback kill_it(cancel, [this] { send_kill(); });
  doubt_.reset();
  if (meter_ != nullptr) meter_->begin();
  RunReport report =
      channel_.run(run, text, Clock::now() + std::chrono::microseconds(run.timeout_us) + grace);
  if (meter_ != nullptr && report.status != RunStatus::kNotDispatched) {
    if (auto measured = meter_->end(evidence_, report.duration); !measured) {
      doubt_ = std::move(measured).error();
    }
  }
  return report;
}

std::optional<std::uint8_t> WorkerProcess::probe(std::uint8_t act,
                                                 std::chrono::milliseconds patience) {
  return channel_.probe(act, Clock::now() + patience);
}

}  // namespace plimsoll::jailed
