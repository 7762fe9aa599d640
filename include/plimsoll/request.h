// What a caller asks for.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "plimsoll/grant.h"
#include "plimsoll/isolation.h"

namespace plimsoll {

// Milliseconds; the unit of every deadline in the public API.
using Millis = std::chrono::milliseconds;

// The bounds of a request. kMaxWasmTimeout is the ceiling of the wasm provider, kMaxMicrovmTimeout
// that of the microvm provider.
inline constexpr std::size_t kMaxCodeBytes = std::size_t{1} << 20;
inline constexpr Millis kDefaultTimeout{10'000};
inline constexpr Millis kMaxWasmTimeout{30'000};
inline constexpr Millis kMaxMicrovmTimeout{120'000};
inline constexpr std::size_t kMaxCallerBytes = 256;

// One JavaScript snippet.
struct RunRequest {
  // The source text: 1 byte to kMaxCodeBytes. Any bytes; what is not UTF-8 the engine judges.
  std::string code = {};

  // How long the code may run, counted from its dispatch; 1 ms to the provider's ceiling. Zero
  // means kDefaultTimeout. Waiting for a free slot is bounded by the same length again.
  Millis timeout{0};

  // The weakest boundary that the caller accepts. The run is refused before dispatch when the
  // evidence taken for it does not meet this floor. kUnknown is invalid.
  Isolation minimum_isolation = Isolation::kNone;

  // Who asks, as the embedder names its tenants: at most kMaxCallerBytes bytes. Guest state (a
  // worker process) is never shared between two callers. Empty is a caller of its own.
  std::string caller{};

  // The API that the code may call, and how; empty: none. With a minter that names its subject, the
  // caller above must not be empty.
  std::optional<Grant> grant{};
};

}  // namespace plimsoll
