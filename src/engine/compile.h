// From source text to something that can be evaluated.
#pragma once

#include <cstdint>
#include <span>

#include "engine/instance.h"
#include "engine/snapshot.h"

namespace plimsoll::engine {

struct Compiled {
  Trap trap = Trap::kNone;
  bool ok = false;
  JsValue value = kJsUndefined;  // the compiled function; or, when not ok, the error to report
  bool is_promise = false;       // evaluation yields the promise of the whole run
  GuestPtr source = 0;           // the text that was compiled, NUL-terminated
  std::uint32_t source_size = 0;
};

[[nodiscard]] Compiled compile(Instance& instance, const SnapshotHeader& header,
                               std::span<const std::uint8_t> code) noexcept;

}  // namespace plimsoll::engine
