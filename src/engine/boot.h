// Makes the image: a fresh engine, the natives, the prelude. Build time only (snapshot-builder, tests).
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine_host.h"
#include "engine/instance.h"
#include "engine/snapshot.h"

namespace plimsoll::engine {

// Initialises `instance` (not yet instantiated) and evaluates the prelude. Returns nullptr and fills
// `out`, or static text that says what went wrong; the engine's own message goes to host.write().
[[nodiscard]] const char* boot(Instance& instance, EngineHost& host,
                               std::span<const std::uint8_t> prelude,
                               SnapshotHeader& out) noexcept;

}  // namespace plimsoll::engine
