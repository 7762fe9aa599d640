// One run of a snippet, from source text to its end.
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine_host.h"
#include "engine/instance.h"
#include "engine/snapshot.h"

namespace plimsoll::engine {

enum class EndCause : std::uint8_t {
  kExited,  // by itself, by process.exit, or by an uncaught error (then exit_code is 1)
  kTimedOut,
  kOutOfMemory,
  kOutputFlood,
  kEngineFault,  // `trap` says which
};

struct RunEnd {
  EndCause cause = EndCause::kExited;
  int exit_code = 0;  // 0 to 255; meaningful for kExited
  Trap trap = Trap::kNone;
};

// What a run may call, besides the language: the client of an API, under the name `global`, and the
// operator's `preamble` that is layered on it. No `global`, no client.
struct GrantedClient {
  std::span<const std::uint8_t> global{};
  std::span<const std::uint8_t> preamble{};
};

// Makes `instance` what it was when `header`'s image was taken. Its linear memory must already be
// the image's. Call once after attaching and again after every reset.
void restore(Instance& instance, const SnapshotHeader& header) noexcept;

// Runs `code` as the first thing in a restored instance. The JavaScript heap may use `heap_bytes`.
// Output, time and randomness come from and go to `host`. Afterwards the instance is spent: reset
// its memory and restore() before the next run, whatever the end was.
//
// The source is tried as a script, as a script with top-level await, as a module, and at last with
// its TypeScript annotations removed. Everything that the language's event loop still has to do is
// done before the end, as long as the deadline allows.
[[nodiscard]] RunEnd run_snippet(Instance& instance, const SnapshotHeader& header,
                                 std::span<const std::uint8_t> code, EngineHost& host,
                                 std::uint32_t heap_bytes,
                                 const GrantedClient& client = {}) noexcept;

}  // namespace plimsoll::engine
