// What the VMM and the guest tell each other: one page of memory, and one port by which the guest
// says that it is the VMM's turn. Whatever the guest wrote is hostile: the VMM reads each field
// once, and bounds it before it is used (exchange.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "guest/frame.h"
#include "microvm/layout.h"

namespace plimsoll::microvm {

// `out %al, $kHypercallPort`, with a Hypercall in al. Any other port ends the machine.
inline constexpr std::uint16_t kHypercallPort = 0x80;

enum class Hypercall : std::uint8_t {
  kBooted = 1,  // the engine's module is initialised; the VMM puts the snapshot into its memory
  kReady = 2,   // waits for a run; returns with one in kRunArea
  kFlush = 3,   // sends the output
  kCall = 4,    // sends the call of call_bytes in kCallArea
  kAwait = 5,   // waits sleep_ns, or until there is an answer in kReplyArea (reply_bytes)
  kSleep = 6,   // waits sleep_ns
  kRandom = 7,  // fills `random`
  kDone = 8,    // the run has ended as `done` says
  kPanic = 9,   // a bug of ours: the guest cannot go on
};

struct Mailbox {
  // Of the VMM. Times are those of the moment when the guest was entered.
  std::uint64_t wall_ns = 0;
  std::uint64_t monotonic_ns = 0;
  std::uint64_t ns_per_tick = 0;      // of the time-stamp counter, as a fixed point of 32 bits
  std::uint32_t deadline_passed = 0;  // also set while the guest runs
  std::uint32_t run_bytes = 0;        // of the payload in kRunArea
  std::uint32_t reply_bytes = 0;      // behind `reply`, in kReplyArea; with has_reply
  std::uint32_t has_reply = 0;
  std::uint8_t reply[guest::kHostReplyHeadBytes] = {};
  std::uint32_t random_bytes = 0;  // fresh ones at the end of `random`; the guest counts down
  std::uint32_t memory_bytes = 0;  // of linear memory at most

  // Of the guest.
  std::uint64_t sleep_ns = 0;
  std::uint32_t output_bytes[2] = {};  // in the windows; what the VMM has sent, it sets to 0
  std::uint32_t truncated[2] = {};     // whether the streams were cut
  std::uint32_t call_bytes = 0;
  std::uint8_t done[guest::kDoneBytes] = {};

  std::uint8_t random[2'048] = {};
};
static_assert(sizeof(Mailbox) <= kPage);

}  // namespace plimsoll::microvm
