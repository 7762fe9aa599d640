// What a guest did: an answer, whatever its exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/advice.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/evidence.h"

namespace plimsoll {

// Why the guest stopped. The numbers are those of the wire contract.
enum class TerminationCause : std::uint8_t {
  kExited = 1,       // it ended by itself; exit_code is its own (1 after an uncaught error)
  kTimedOut = 2,     // its deadline passed; exit code 124
  kOutOfMemory = 3,  // an allocation beyond its limit was not handled by it; exit code 137
  kSignaled = 4,     // killed by signal N; exit code 128 + N
  kOutputFlood = 5,  // it wrote past the transfer budget and was stopped; exit code 153
  kEngineFault = 6,  // the engine trapped (a bug in it, or an attack); exit code 134
};

// "exited", "timed_out", "out_of_memory", "signaled", "output_flood", "engine_fault".
[[nodiscard]] std::string_view to_string(TerminationCause cause) noexcept;

// The exit codes that stand for a cause, as a shell or a container runtime would report it.
inline constexpr int kExitTimedOut = 124;
inline constexpr int kExitEngineFault = 134;
inline constexpr int kExitOutOfMemory = 137;
inline constexpr int kExitOutputFlood = 153;

// Why it stopped, and the host's word on it.
struct Termination {
  TerminationCause cause = TerminationCause::kExited;
  std::string detail;  // made by the host, ASCII, may be empty; never the guest's bytes
};

// Everything about one run.
struct Outcome {
  // The guest's bytes, untouched: NUL, invalid UTF-8 and all. Cut at the cap of the configuration,
  // never marked in the bytes themselves; the flag says so.
  std::string stdout_bytes;
  std::string stderr_bytes;
  bool stdout_truncated = false;
  bool stderr_truncated = false;

  int exit_code = 0;  // 0 to 255
  bool timed_out = false;
  Termination termination;

  // From the dispatch to the guest's last word, as the host's monotonic clock measured it.
  std::chrono::microseconds duration{0};

  std::string provider;        // the provider's id, e.g. "wasm"
  IsolationEvidence evidence;  // the boundary that this very run executed behind

  CallTrace calls{};  // what it asked of the API that it was granted; empty without a grant

  // How its code could ask less of that API; empty unless the grant says Advice::kCaller. In no
  // digest. Whoever wants everything that is found asks advisor::advise().
  std::vector<AdviceFinding> advice{};
};

}  // namespace plimsoll
