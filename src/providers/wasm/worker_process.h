// The library's handle of one jailed worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "guest/frame.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/wasm/zygote_process.h"

namespace plimsoll::wasm {

// How one exchange with a worker went.
enum class RunStatus : std::uint8_t {
  kDone,           // `done` and the output are the guest's
  kNotDispatched,  // the worker was dead before it got the first byte
  kStopped,        // it did not end by its deadline and was killed
  kLost,           // it died during the run
  kBroken,         // it broke the protocol and was killed
};

struct RunReport {
  RunStatus status = RunStatus::kLost;
  guest::Done done;
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::chrono::microseconds duration{0};
};

// Used by one thread at a time. The destructor kills the process; who needs to know how it died calls
// kill() and asks the zygote to reap it.
class WorkerProcess {
 public:
  // How much later than the guest's own deadline the host kills: the worker needs kHardStopGrace (20
  // ms) to stop native code by itself.
  static constexpr std::chrono::milliseconds kKillGrace{45};

  // Waits until the worker has jailed itself, and measures it. Errors: kNotReady.
  [[nodiscard]] static Result<WorkerProcess> adopt(WorkerHandle handle);

  WorkerProcess(WorkerProcess&&) noexcept = default;
  WorkerProcess& operator=(WorkerProcess&&) noexcept = default;
  ~WorkerProcess() { kill(); }

  // Sends one run and collects its end. After anything but kDone the process is dead or must be thrown
  // away. Output beyond run.output_cap is a broken protocol.
  [[nodiscard]] RunReport run(const guest::RunHeader& run, std::string_view code);

  // Asks it to try a forbidden act (worker/probe.h); the answer, or nullopt when it died of it.
  [[nodiscard]] std::optional<std::uint8_t> probe(std::uint8_t act);

  // Idempotent.
  void kill() noexcept;

  [[nodiscard]] const IsolationEvidence& evidence() const noexcept { return evidence_; }
  [[nodiscard]] pid_t zygote_pid() const noexcept { return zygote_pid_; }
  [[nodiscard]] unsigned generation() const noexcept { return generation_; }

 private:
  explicit WorkerProcess(WorkerHandle handle) noexcept
      : channel_(std::move(handle.channel)),
        pidfd_(std::move(handle.pidfd)),
        zygote_pid_(handle.zygote_pid),
        generation_(handle.generation) {}

  using Clock = std::chrono::steady_clock;
  enum class Io : std::uint8_t { kOk, kTimeout, kGone, kBroken };
  [[nodiscard]] Io send(std::span<const std::uint8_t> head, std::string_view body,
                        Clock::time_point until, std::size_t& sent);
  [[nodiscard]] Io next_frame(guest::FrameReader::Frame& frame, Clock::time_point until);
  [[nodiscard]] Io wait(short events, Clock::time_point until);
  [[nodiscard]] Io collect(const guest::RunHeader& run, Clock::time_point until, RunReport& report);

  UniqueFd channel_;
  UniqueFd pidfd_;
  pid_t zygote_pid_ = 0;
  unsigned generation_ = 0;
  IsolationEvidence evidence_;
  guest::FrameReader reader_;
};

}  // namespace plimsoll::wasm
