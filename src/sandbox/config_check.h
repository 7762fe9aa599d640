// What a configuration may hold. Pure: nothing is started or looked up on the host.
#pragma once

#include <cstddef>

#include "plimsoll/result.h"
#include "plimsoll/sandbox.h"

namespace plimsoll {

inline constexpr unsigned kMaxWasmPool = 64;          // workers
inline constexpr unsigned kMaxWasmConcurrent = 1024;  // runs in flight
inline constexpr unsigned kMinWasmMemoryMb = 16;      // MiB
inline constexpr unsigned kMaxWasmMemoryMb = 1024;    // MiB
inline constexpr std::size_t kMaxOutputCapBytes = std::size_t{64} << 20;

// Errors: kInvalidConfig; the message names every mistake and what is accepted instead. The section
// of a provider that is not chosen is not looked at.
[[nodiscard]] Result<void> check_config(const SandboxConfig& config);

}  // namespace plimsoll
