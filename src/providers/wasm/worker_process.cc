#include "providers/wasm/worker_process.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "providers/wasm/failure.h"
#include "providers/wasm/worker_evidence.h"

namespace plimsoll::wasm {

namespace {

// A worker jails itself in about a millisecond.
constexpr std::chrono::seconds kReadyTimeout{5};
constexpr std::chrono::seconds kProbeTimeout{2};

}  // namespace

Result<WorkerProcess> WorkerProcess::adopt(WorkerHandle handle) {
  WorkerProcess worker(std::move(handle));
  if (!worker.channel_.await_ready(Clock::now() + kReadyTimeout)) {
    return not_ready("a worker did not finish its jail");
  }
  auto evidence = measure_worker(worker.pidfd_.get());
  if (!evidence) return std::unexpected(std::move(evidence).error());
  worker.evidence_ = std::move(*evidence);
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
  return channel_.run(run, text, Clock::now() + std::chrono::microseconds(run.timeout_us) + grace);
}

std::optional<std::uint8_t> WorkerProcess::probe(std::uint8_t act) {
  return channel_.probe(act, Clock::now() + kProbeTimeout);
}

}  // namespace plimsoll::wasm
