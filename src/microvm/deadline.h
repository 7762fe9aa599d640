// The run's deadline, as signals of a per-process timer: each tick makes the machine leave its
// guest at once. After the first the guest is told, and ends by itself; after the second, a grace
// period later, it is stopped wherever it is.
#pragma once

#include <chrono>
#include <cstdint>

namespace plimsoll::microvm {

inline constexpr std::chrono::milliseconds kHardStopGrace{20};

// Makes the timer and its handler. Once, before the system call filter. Returns 0 or an errno.
[[nodiscard]] int prepare_deadline() noexcept;

// Starts the clock; each tick sets `leave_at_once`. Nothing may be armed.
void arm_deadline(std::chrono::microseconds timeout, volatile std::uint8_t& leave_at_once) noexcept;

// Stops it and forgets its ticks.
void disarm_deadline() noexcept;

enum class Deadline : std::uint8_t { kAhead, kPassed, kHardStop };
[[nodiscard]] Deadline deadline() noexcept;

}  // namespace plimsoll::microvm
