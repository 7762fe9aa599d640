// What a kind of jailed process is: the program that it is, and how it is looked at. The wasm
// provider's workers and the microvm provider's monitors are two of them; everything else in this
// folder is the same for both.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/fd_message.h"
#include "base/unique_fd.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"

namespace plimsoll::jailed {

// What is measured of every single run. Used by the thread that runs.
class RunMeter {
 public:
  virtual ~RunMeter() = default;
  virtual void begin() noexcept = 0;
  // Adds what the run left to `evidence`, in place of what the last one did. Errors:
  // kInfrastructure, this run cannot have been behind the boundary.
  [[nodiscard]] virtual Result<void> end(IsolationEvidence& evidence,
                                         std::chrono::microseconds duration) = 0;
};

struct Measured {
  IsolationEvidence evidence{};
  std::unique_ptr<RunMeter> meter{};  // null: a run adds nothing
};

// A process that has said that its jail stands.
struct ReadyProcess {
  int pidfd = -1;
  int program = -1;  // the file that was executed, for whoever compares
  std::array<UniqueFd, kMaxMessageFds> attached{};  // the descriptors that came with its first word
  std::string_view sha256{};                        // of `program`, when that is known
};

struct WorkerProgram {
  std::string_view name{};              // of the process: "plimsoll-worker"
  std::string_view path_field{};        // the setting that names an installed one
  std::span<const std::uint8_t> elf{};  // the embedded copy; empty: there is none on this machine
  std::string_view sha256{};  // of that, 64 lower-case hex digits, as the build computed it
  Result<Measured> (*measure)(ReadyProcess process) = nullptr;
  // How long, for each MiB of its memory, it may still be busy with undoing the run before when the
  // next one is sent. Beyond the run's own time, it is not taken for one that does not end.
  std::chrono::microseconds undo_per_mib{0};
};

}  // namespace plimsoll::jailed
