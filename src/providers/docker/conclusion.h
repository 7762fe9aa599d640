// From what a runner, the kernel and the engine say of a run's end to its outcome. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "guest/frame.h"
#include "guest/guest_channel.h"
#include "plimsoll/outcome.h"

namespace plimsoll::docker {

// The bytes that a run may write in all.
inline constexpr std::uint64_t kFloodBytes = std::uint64_t{64} << 20;

// What the host knows of memory, besides what the runner says.
struct MemoryWord {
  bool oom_kill = false;  // the kernel killed a process of the container for its memory
  unsigned limit_mb = 0;
};

// Whether such an end can be the kernel's doing, so that it is worth asking.
[[nodiscard]] bool may_be_oom_kill(guest::DoneCause cause, std::uint8_t exit_code,
                                   std::uint8_t signal) noexcept;

struct ProcessEnd {
  int exit_code = 0;
  bool timed_out = false;
  bool flooded = false;  // both streams count as cut
  Termination termination{};
};

// Of a process that the runner watched to its end. One that died of SIGKILL while the kernel killed
// for memory ran out of memory; what the runner cannot have seen is an ordinary end.
[[nodiscard]] ProcessEnd end_of(guest::DoneCause cause, std::uint8_t exit_code, std::uint8_t signal,
                                const MemoryWord& memory);

// Of one that the host stopped from outside.
[[nodiscard]] ProcessEnd stopped_from_outside();

// Of one whose container went with it.
[[nodiscard]] ProcessEnd out_of_memory(const MemoryWord& memory);

}  // namespace plimsoll::docker
