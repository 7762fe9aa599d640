// Steps on JavaScript values that more than one part of the engine needs. Each enters the guest,
// and each may therefore trap.
#pragma once

#include <cstdint>
#include <span>

#include "engine/guest_thread.h"
#include "engine/instance.h"

namespace plimsoll::engine {

// The bytes of a string or Uint8Array while they lie in guest memory. `release` must be given back
// by free_text() unless it is 0. `ok` false: an exception is pending.
struct GuestText {
  Trap trap = Trap::kNone;
  bool ok = false;
  std::span<const std::uint8_t> bytes;
  GuestPtr release = 0;
};
[[nodiscard]] GuestText text_of(Instance& instance, JsValue value) noexcept;
[[nodiscard]] Trap free_text(Instance& instance, const GuestText& text) noexcept;

// A number; NaN for what is none. Never calls guest-defined conversions: objects are NaN.
[[nodiscard]] Trap to_number(Instance& instance, JsValue value, double& out) noexcept;

[[nodiscard]] Trap free_value(Instance& instance, JsValue value) noexcept;

// Takes the pending exception.
[[nodiscard]] Trap take_exception(Instance& instance, JsValue& out) noexcept;

// A new string of `bytes` (UTF-8). The result is an exception when memory is out.
[[nodiscard]] Trap new_string(Instance& instance, std::span<const std::uint8_t> bytes,
                              JsValue& out) noexcept;

// Calls `function` with up to four arguments, which stay the caller's.
[[nodiscard]] Trap call_function(Instance& instance, JsValue function,
                                 std::span<const JsValue> args, JsValue& out) noexcept;

// Own or inherited property by an ASCII name.
[[nodiscard]] Trap get_property(Instance& instance, JsValue object, const char* name,
                                JsValue& out) noexcept;

}  // namespace plimsoll::engine
