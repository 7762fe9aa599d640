// The functions that the prelude gets from the engine (and hides from the guest's own code).
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/guest_thread.h"
#include "engine/instance.h"

namespace plimsoll::engine {

// The registered name is one byte, since the engine compares it on every call; `property` is what
// the prelude finds on its __plimsoll object.
//   write(fd, string | Uint8Array)  fd 1 or 2; strings as UTF-8, lone surrogates as they are
//   (WTF-8) exit(code)                      ends the run; does not return random(n) a Uint8Array of
//   n (0..65536) unpredictable bytes now()                           milliseconds since the run
//   started wall()                          milliseconds since 1970 UTC want(bits) see Wants
//   proxy(value)                    [target, handler] of a Proxy, else undefined
//   kind(value)                     the engine's class name of an object ("Map", "Proxy"), else ""
//   promise(value)                  [0 pending | 1 fulfilled | 2 rejected, result], else undefined
//   host_call(id, method, target, body | undefined)  false: nothing was granted
struct Native {
  char id;
  std::string_view property;
};
inline constexpr Native kNatives[] = {
    {'w', "write"}, {'e', "exit"},  {'r', "random"},  {'n', "now"},  {'c', "wall"},
    {'l', "want"},  {'p', "proxy"}, {'s', "promise"}, {'k', "kind"}, {'h', "host_call"},
};

// What the event loop must call back into; bits of want().
enum Wants : std::uint32_t {
  kWantsTicks = 1,  // process.nextTick callbacks are queued
  kWantsTurns = 2,  // timers or immediates exist
  kWantsExit = 4,   // exit listeners or process.exitCode were set
};

// The arguments of one call: pointers to values, in guest memory.
struct NativeArgs {
  std::uint32_t count = 0;
  GuestPtr pointers = 0;

  [[nodiscard]] JsValue at(Instance& instance, std::uint32_t index) const noexcept;
};

// A new heap cell with the result, or 0: an exception is pending. When `trap` is set, nothing else
// counts.
struct NativeReturn {
  Trap trap = Trap::kNone;
  GuestPtr cell = 0;
};

[[nodiscard]] NativeReturn call_native(Instance& instance, char id, NativeArgs args) noexcept;

}  // namespace plimsoll::engine
