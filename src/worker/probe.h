// Forbidden acts, for the smoke test and the tests of the jail: a throwaway worker tries one.
#pragma once

#include <cstdint>

namespace plimsoll::worker {

// The numbers travel in a kProbe frame.
enum class Forbidden : std::uint8_t {
  kOpen = 1,
  kSocket = 2,
  kExecve = 3,
  kPtrace = 4,
  kFork = 5,
  kKill = 6,
  kIoUring = 7,
  kExecutableMemory = 8,
  kMapFile = 9,
  kPrlimit = 10,
  kIoctl = 11
};
inline constexpr std::uint8_t kFirstForbidden = 1;
inline constexpr std::uint8_t kLastForbidden = 11;

// Tries it. Returns 1 when the kernel let it happen, 0 when it failed with an errno, 2 for a number
// that is none of the above. In a working jail it does not return at all: the kernel kills the
// process.
[[nodiscard]] int try_forbidden(std::uint8_t act) noexcept;

}  // namespace plimsoll::worker
