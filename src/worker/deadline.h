// The run's deadline, as signals of a per-process timer: at the deadline a flag that the
// interpreter polls; a grace period later, when native code of the engine still goes on, a jump out
// of it.
#pragma once

#include <chrono>
#include <cstdint>

namespace plimsoll::worker {

inline constexpr std::chrono::milliseconds kHardStopGrace{20};

// Makes the timer and installs the handlers for it and for faults in guest code. Once, before the
// system call filter. Returns 0 or an errno.
[[nodiscard]] int prepare_deadline_and_faults() noexcept;

// Starts the clock. Nothing may be armed.
void arm_deadline(std::chrono::microseconds timeout) noexcept;

// Stops it and forgets that it passed.
void disarm_deadline() noexcept;

[[nodiscard]] bool deadline_passed() noexcept;

}  // namespace plimsoll::worker
