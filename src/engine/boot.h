// Makes the image: a fresh engine, the natives, the prelude. Build time only (snapshot-builder,
// tests).
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine_host.h"
#include "engine/instance.h"
#include "engine/snapshot.h"

namespace plimsoll::engine {

// Compiles the prelude in an `instance` of its own, which is spent afterwards: what the compiler
// leaves in the heap would otherwise be part of every image. The bytecode, without the functions'
// source text, lies in that instance's memory. Returns nullptr, or static text that says what went
// wrong; the engine's own message goes to host.write().
[[nodiscard]] const char* compile_prelude(Instance& instance, EngineHost& host,
                                          std::span<const std::uint8_t> source,
                                          std::span<const std::uint8_t>& out) noexcept;

// Initialises `instance` (not yet instantiated) and evaluates the prelude's bytecode. Returns
// nullptr and fills `out`, or says what went wrong as above.
[[nodiscard]] const char* boot(Instance& instance, EngineHost& host,
                               std::span<const std::uint8_t> bytecode,
                               SnapshotHeader& out) noexcept;

}  // namespace plimsoll::engine
