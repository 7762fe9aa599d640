#include "engine/guest_thread.h"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __asan_handle_no_return();
#endif

namespace plimsoll::engine {

namespace {
constinit thread_local GuestThread t_thread;
}  // namespace

GuestThread& guest_thread() noexcept { return t_thread; }

const char* to_string(Trap trap) noexcept {
  switch (trap) {
    case Trap::kNone:
      return "none";
    case Trap::kOutOfBounds:
      return "out of bounds memory access";
    case Trap::kArithmetic:
      return "arithmetic trap";
    case Trap::kUnreachable:
      return "the engine aborted";
    case Trap::kIndirectCall:
      return "indirect call of the wrong type";
    case Trap::kStackExhausted:
      return "native stack exhausted";
    case Trap::kDeadline:
      return "hard deadline";
    case Trap::kExit:
      return "exit";
    case Trap::kOutputFlood:
      return "output flood";
  }
  return "unknown trap";
}

void trap(Trap trap) noexcept {
  GuestThread& thread = t_thread;
  thread.in_guest = 0;
  // Without a landing place this is not a guest's trap but a bug of ours.
  if (thread.scope == nullptr) __builtin_trap();
  thread.landed = trap;
#if defined(__SANITIZE_ADDRESS__)
  __asan_handle_no_return();
#endif
  __builtin_longjmp(thread.scope->jump, 1);
}

void set_guest_stack(std::uintptr_t low, std::uintptr_t high, std::uintptr_t guard,
                     std::uintptr_t reserve) noexcept {
  t_thread.stack_low = low - guard;
  t_thread.stack_high = high;
  t_thread.stack_reserve = low + reserve;
}

}  // namespace plimsoll::engine
