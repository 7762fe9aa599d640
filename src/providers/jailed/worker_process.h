// The library's handle of one jailed worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/unique_fd.h"
#include "guest/frame.h"
#include "guest/guest_channel.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/jailed/worker_program.h"
#include "providers/jailed/zygote_process.h"

namespace plimsoll::jailed {

using guest::RunReport;
using guest::RunStatus;

// Used by one thread at a time. The destructor kills the process; who needs to know how it died
// calls kill() and asks the zygote to reap it.
class WorkerProcess {
 public:
  // How much later than the guest's own deadline the host kills: the worker needs kHardStopGrace
  // (20 ms) to stop native code by itself.
  static constexpr std::chrono::milliseconds kKillGrace{45};
  static constexpr std::chrono::milliseconds kProbePatience{2'000};

  // Waits until the worker has jailed itself, and measures it. `known`: what is known of the
  // program's file. Errors: kNotReady.
  [[nodiscard]] static Result<WorkerProcess> adopt(WorkerHandle handle,
                                                   const WorkerProgram& program,
                                                   ReadyProcess known);

  WorkerProcess(WorkerProcess&&) noexcept = default;
  // Kills what it had.
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess() { kill(); }

  // Sends one run and collects its end; kills the process `grace` after the run's own deadline, or
  // when a stop is requested on `cancel` (then it ends as kLost). After anything but kDone the
  // process is dead or must be thrown away. Afterwards evidence() is that of this run.
  [[nodiscard]] RunReport run(const guest::RunHeader& run, const guest::RunText& text,
                              const std::stop_token& cancel = {},
                              std::chrono::milliseconds grace = kKillGrace);

  // Asks it to try a forbidden act (worker/probe.h); the answer, or nullopt when it died of it.
  [[nodiscard]] std::optional<std::uint8_t> probe(
      std::uint8_t act, std::chrono::milliseconds patience = kProbePatience);

  // Idempotent.
  void kill() noexcept;

  [[nodiscard]] const IsolationEvidence& evidence() const noexcept { return evidence_; }
  // Why the last run cannot have been behind the boundary that evidence() states; nullopt: it was.
  [[nodiscard]] const std::optional<Error>& doubt() const noexcept { return doubt_; }
  [[nodiscard]] pid_t zygote_pid() const noexcept { return zygote_pid_; }
  [[nodiscard]] unsigned generation() const noexcept { return generation_; }

 private:
  WorkerProcess(WorkerHandle handle, UniqueFd channel) noexcept
      : channel_(std::move(channel)),
        pidfd_(std::move(handle.pidfd)),
        zygote_pid_(handle.zygote_pid),
        generation_(handle.generation) {}

  using Clock = guest::GuestChannel::Clock;

  void send_kill() const noexcept;

  guest::GuestChannel channel_;
  UniqueFd pidfd_;
  pid_t zygote_pid_ = 0;
  unsigned generation_ = 0;
  IsolationEvidence evidence_;
  std::unique_ptr<RunMeter> meter_;
  std::optional<Error> doubt_;
};

}  // namespace plimsoll::jailed
