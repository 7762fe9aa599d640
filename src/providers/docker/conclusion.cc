#include "providers/docker/conclusion.h"

#include <fmt/format.h>

#include <csignal>
#include <string>

namespace plimsoll::docker {

namespace {

ProcessEnd timed_out(std::string detail) {
  return {.exit_code = kExitTimedOut,
          .timed_out = true,
          .termination = {.cause = TerminationCause::kTimedOut, .detail = std::move(detail)}};
}

}  // namespace

bool may_be_oom_kill(guest::DoneCause cause, std::uint8_t exit_code, std::uint8_t signal) noexcept {
  if (cause == guest::DoneCause::kSignaled) return signal == SIGKILL;
  return cause == guest::DoneCause::kExited && exit_code == kExitOutOfMemory;
}

ProcessEnd out_of_memory(const MemoryWord& memory) {
  return {.exit_code = kExitOutOfMemory,
          .termination = {.cause = TerminationCause::kOutOfMemory,
                          .detail = fmt::format("beyond the limit of {} MiB", memory.limit_mb)}};
}

ProcessEnd stopped_from_outside() {
  return timed_out("stopped from outside: the container was killed");
}

ProcessEnd end_of(guest::DoneCause cause, std::uint8_t exit_code, std::uint8_t signal,
                  const MemoryWord& memory) {
  switch (cause) {
    case guest::DoneCause::kTimedOut:
      return timed_out("stopped at its deadline");
    case guest::DoneCause::kOutOfMemory:
      return out_of_memory(memory);
    case guest::DoneCause::kOutputFlood:
      return {
          .exit_code = kExitOutputFlood,
          .flooded = true,
          .termination = {.cause = TerminationCause::kOutputFlood,
                          .detail = fmt::format("more than {} MiB written", kFloodBytes >> 20)}};
    case guest::DoneCause::kSignaled:
      if (signal == SIGKILL && memory.oom_kill) return out_of_memory(memory);
      return {.exit_code = 128 + signal,
              .termination = {.cause = TerminationCause::kSignaled,
                              .detail = fmt::format("signal {}", signal)}};
    case guest::DoneCause::kEngineFault:  // no runner of ours says so
    case guest::DoneCause::kExited:
      break;
  }
  // A shell reports its child's death by a signal as an exit code of its own.
  if (exit_code == kExitOutOfMemory && memory.oom_kill) return out_of_memory(memory);
  return {.exit_code = exit_code,
          .termination = {.cause = TerminationCause::kExited, .detail = {}}};
}

}  // namespace plimsoll::docker
