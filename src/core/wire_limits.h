// The bounds of what comes in over the wire and of what goes back. Everything has one; requests
// that meet a bound exactly are accepted. docs/run-results.md lists them for callers.
#pragma once

#include <cstddef>

#include "plimsoll/request.h"

namespace plimsoll {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// An HTTP body, both as it arrives and after inflation. kMaxCodeBytes is in plimsoll/request.h.
inline constexpr std::size_t kMaxBodyBytes = 8 * kMiB;
// Existing clients refuse an answer of this size or more.
inline constexpr std::size_t kAnswerBytesEnd = 32 * kMiB;

// A project, and the files of a cell. Bytes in all: contents and paths together.
inline constexpr std::size_t kMaxProjectFiles = 200;
inline constexpr std::size_t kMaxProjectBytes = 4 * kMiB;
inline constexpr std::size_t kMaxPathBytes = 1024;
inline constexpr std::size_t kMaxProjectSteps = 16;
// One less than the longest argument that execve(2) takes with its NUL (MAX_ARG_STRLEN).
inline constexpr std::size_t kMaxStepBytes = 128 * kKiB - 1;
inline constexpr std::size_t kMaxArtifacts = 32;
inline constexpr std::size_t kMaxArtifactBytes = 8 * kMiB;  // of all that are brought back

// Names.
inline constexpr std::size_t kMaxProfileNameBytes = 128;
inline constexpr std::size_t kMaxTraceIdBytes = 64;
inline constexpr std::size_t kMaxSoftwareIdentities = 32;
inline constexpr std::size_t kMaxSoftwareIdentityBytes = 256;

// The longest timeouts. A snippet's on wasm is kMaxWasmTimeout.
inline constexpr Millis kMaxSnippetTimeout{120'000};
inline constexpr Millis kMaxProjectTimeout{300'000};

}  // namespace plimsoll
