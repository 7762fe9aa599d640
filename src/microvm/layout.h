// Where everything lies in a virtual machine: its physical memory, as the VMM maps it, and the
// addresses that the guest sees. Shared by the VMM and the guest image.
//
//   physical       size      what                               guest: address      may
//   0x0000'1000    60 KiB    page tables                        not mapped
//   0x0020'0000   <14 MiB    the image: code / constants / data the same            RX / R / RW
//   0x0100'0000     4 KiB    the mailbox                        the same            RW
//   0x0100'1000     4 KiB    thread-local storage               the same            RW
//   0x0100'2000     4 KiB    the snapshot's header              the same            R
//   0x0100'3000     4 KiB    the task state                     the same            nothing
//   0x0101'0000   128 KiB    output of the run: two windows     the same            RW
//   0x0104'0000  <1.5 MiB    a call of the granted API          the same            RW
//   0x0120'0000  <4.1 MiB    the answer to one                  the same            R
//   0x0180'0000  <3.1 MiB    the run: header, preamble, code    the same            R
//   0x0200'0000    64 MiB    the stack                          0x20'0000'0000      RW
//   0x0600'0000    up to     the engine's linear memory         0x40'0000'0000      RW
//                  1 GiB
//
// Nothing else is mapped. The gigabytes around the stack and behind the linear memory are its
// guards: no 32-bit address plus 32-bit offset of the engine's leaves them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "guest/frame.h"

namespace plimsoll::microvm {

inline constexpr std::size_t kPage = 4'096;
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

inline constexpr std::uint64_t kPageTables = 0x0000'1000;
inline constexpr std::uint64_t kImage = 0x0020'0000;
inline constexpr std::uint64_t kImageEnd = 0x0100'0000;
inline constexpr std::uint64_t kMailbox = 0x0100'0000;
inline constexpr std::uint64_t kTls = 0x0100'1000;
inline constexpr std::uint64_t kHeader = 0x0100'2000;
inline constexpr std::uint64_t kTask = 0x0100'3000;
inline constexpr std::uint64_t kFixedEnd = 0x0100'4000;  // what a template holds of all this
inline constexpr std::uint64_t kOutputArea = 0x0101'0000;
inline constexpr std::uint64_t kCallArea = 0x0104'0000;
inline constexpr std::uint64_t kReplyArea = 0x0120'0000;
inline constexpr std::uint64_t kRunArea = 0x0180'0000;
inline constexpr std::uint64_t kAreasEnd = 0x0200'0000;
inline constexpr std::uint64_t kStack = kAreasEnd;
inline constexpr std::uint64_t kLinear = 0x0600'0000;

inline constexpr std::size_t kOutputWindow = guest::kMaxGuestPayload;  // of each stream
inline constexpr std::size_t kStackBytes = kLinear - kStack;
inline constexpr std::size_t kMaxLinearBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxReplyBytes = guest::kMaxReplyType + guest::kMaxReplyBody;

// The addresses that the guest sees of the two that are not where they are physically.
inline constexpr std::uint64_t kStackAddress = std::uint64_t{0x20} << 32;
inline constexpr std::uint64_t kLinearAddress = std::uint64_t{0x40} << 32;
// Every access of the engine's to its linear memory lies in this range.
inline constexpr std::uint64_t kLinearReach = (std::uint64_t{1} << 33) + 65'536;

// The task state segment: 104 bytes that a machine without a ring 0 does not need, and the bitmap
// of ports, where a zero permits. Ports beyond it are forbidden. (Intel SDM volume 1, 19.5.2)
inline constexpr std::size_t kTaskHead = 104;
inline constexpr std::size_t kPortBitmapBytes = 17;
inline constexpr std::size_t kTaskBytes = kTaskHead + kPortBitmapBytes + 1;

// Thread-local storage ends here; the thread's control block (itself, the stack canary) begins.
inline constexpr std::uint64_t kThreadPointer = kTls + kPage / 2;
inline constexpr std::uint64_t kCanaryOffset = 0x28;  // as the compiler has it

static_assert(kOutputArea + 2 * kOutputWindow <= kCallArea);
static_assert(kCallArea + guest::kMaxHostCallPayload <= kReplyArea);
static_assert(kReplyArea + kMaxReplyBytes <= kRunArea);
static_assert(kRunArea + guest::kMaxRunPayload <= kAreasEnd);

}  // namespace plimsoll::microvm
