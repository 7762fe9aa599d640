// What a configuration may hold. Pure: nothing is started or looked up on the host.
#pragma once

#include <cstddef>

#include "plimsoll/result.h"
#include "plimsoll/sandbox.h"

namespace plimsoll {

inline constexpr unsigned kMaxWasmPool = 64;            // workers
inline constexpr unsigned kMaxWasmConcurrent = 1024;    // runs in flight
inline constexpr unsigned kMinWasmMemoryMb = 16;        // MiB
inline constexpr unsigned kMaxWasmMemoryMb = 1024;      // MiB
inline constexpr unsigned kMaxDockerPool = 64;          // containers
inline constexpr unsigned kMaxDockerConcurrent = 1024;  // runs in flight
inline constexpr unsigned kMinDockerMemoryMb = 32;      // MiB
inline constexpr unsigned kMaxDockerMemoryMb = 1'048'576;
inline constexpr double kMinDockerCpus = 0.01;
inline constexpr double kMaxDockerCpus = 1024;
inline constexpr unsigned kMinDockerPids = 16;
inline constexpr unsigned kMaxDockerPids = 32'768;
inline constexpr unsigned kMinDockerDiskMb = 8;  // MiB
inline constexpr unsigned kMaxDockerDiskMb = 65'536;
inline constexpr std::size_t kMaxOutputCapBytes = std::size_t{64} << 20;

// Errors: kInvalidConfig; the message names every mistake and what is accepted instead. The section
// of a provider that is not chosen is not looked at.
[[nodiscard]] Result<void> check_config(const SandboxConfig& config);

}  // namespace plimsoll
