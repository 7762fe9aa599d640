// Where a thread stands with regard to guest code, and the one way out of it: a trap.
//
// Guest code is entered through enter_guest() only. A trap (an out-of-bounds access, an exhausted
// stack, the hard deadline, process.exit) jumps back there and abandons the guest's frames; memory
// is then inconsistent, and the owner resets it. Host code that guest code calls first leaves the
// guest (HostScope), so that no jump ever crosses a frame of ours that owns something.
#pragma once

#include <csignal>
#include <cstdint>

namespace plimsoll::engine {

class Instance;

enum class Trap : std::uint8_t {
  kNone,
  kOutOfBounds,     // an access outside the linear memory or a table
  kArithmetic,      // division by zero or an overflowing conversion
  kUnreachable,     // the engine's own abort()
  kIndirectCall,    // a call through a table entry of another type
  kStackExhausted,  // the native stack is used up
  kDeadline,        // the hard deadline
  kExit,            // the guest asked to end
  kOutputFlood,     // the host refused further output
};

// "out of bounds memory access", ...; static ASCII text.
[[nodiscard]] const char* to_string(Trap trap) noexcept;

// A landing place of enter_guest(), for __builtin_setjmp.
struct TrapScope {
  void* jump[5] = {};
};

// One per thread. A signal handler on the same thread reads and writes it, hence the volatiles.
struct GuestThread {
  volatile std::sig_atomic_t in_guest = 0;   // guest code is executing right now
  volatile std::sig_atomic_t hard_stop = 0;  // the hard deadline has passed
  TrapScope* volatile scope = nullptr;       // innermost landing place
  Instance* instance = nullptr;              // whose guest code
  volatile Trap landed = Trap::kNone;        // handed from trap() to enter_guest()
  std::uintptr_t stack_low = 0;              // the native stack, with its guard: [low, high)
  std::uintptr_t stack_high = 0;
  std::uintptr_t stack_reserve = 0;  // imports trap below this address
};

// The calling thread's record.
[[nodiscard]] GuestThread& guest_thread() noexcept;

// Abandons the guest and returns from the innermost enter_guest() with `trap`. Only while in_guest,
// or from host code that was just called by the guest and owns nothing.
[[noreturn]] void trap(Trap trap) noexcept;

// Registers the calling thread's stack for overflow detection. `guard` bytes below `low` are
// treated as stack too; imports refuse to go on with less than `reserve` bytes left.
void set_guest_stack(std::uintptr_t low, std::uintptr_t high, std::uintptr_t guard,
                     std::uintptr_t reserve) noexcept;

// Leaves the guest for the time of a host function. resume() must be its last act.
class HostScope {
 public:
  HostScope() noexcept : thread_(guest_thread()), scope_(thread_.scope) {
    if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < thread_.stack_reserve) {
      trap(Trap::kStackExhausted);
    }
    thread_.in_guest = 0;
  }
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;

  // Back to the guest, or, when `then` says so or the hard deadline passed meanwhile, out of it.
  void resume(Trap then) noexcept {
    thread_.scope = scope_;
    thread_.in_guest = 1;
    if (then != Trap::kNone) trap(then);
    if (thread_.hard_stop != 0) trap(Trap::kDeadline);
  }

 private:
  GuestThread& thread_;
  TrapScope* scope_;
};

// Runs `body` as guest code of `instance` and returns how it ended. `body` must own nothing that
// needs a destructor. Nests: a host function may call the guest again.
template <class Body>
[[gnu::noinline]] Trap enter_guest(Instance& instance, Body&& body) noexcept {
  GuestThread& thread = guest_thread();
  TrapScope here;
  TrapScope* const outer = thread.scope;
  Instance* const outer_instance = thread.instance;
  if (__builtin_setjmp(here.jump) == 0) {
    thread.scope = &here;
    thread.instance = &instance;
    thread.landed = Trap::kNone;
    thread.in_guest = 1;
    asm volatile("" ::: "memory");
    if (thread.hard_stop != 0) {
      thread.landed = Trap::kDeadline;
    } else {
      body();
    }
    asm volatile("" ::: "memory");
  }
  GuestThread& landed = guest_thread();
  landed.in_guest = 0;
  landed.scope = outer;
  landed.instance = outer_instance;
  const Trap result = landed.landed;
  landed.landed = Trap::kNone;
  return result;
}

}  // namespace plimsoll::engine
