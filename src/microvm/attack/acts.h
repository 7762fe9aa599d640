// What the attacking guest can be told to do, and how it answers.
#pragma once

#include <cstdint>

namespace plimsoll::microvm::attack {

enum class Act : std::uint32_t {
  // Instructions that leave the guest, or would like to.
  kHlt = 1,
  kCpuid,
  kRdmsr,
  kWrmsr,
  kReadCr0,
  kWriteCr0,
  kReadCr3,
  kWriteCr3,
  kWriteCr4,
  kReadDr7,
  kWriteDr7,
  kLgdt,
  kLidt,
  kLtr,
  kLldt,
  kSysenter,
  kSyscall,
  kInt80,
  kInt3,
  kUd2,
  kInvlpg,
  kWbinvd,
  kClts,
  kCli,
  kSti,
  kIret,
  kSwapgs,
  kXsetbv,
  kRdpmc,
  kMonitor,
  kVmcall,
  kVmmcall,
  kWrfsbase,
  kDivide,
  kLoadNullSegments,
  // With an argument.
  kIn8,
  kIn16,
  kIn32,
  kOut8,
  kOut16,
  kOut32,
  kRead,     // one byte of an address
  kWrite,    //
  kExecute,  //
  // Against the mailbox and the clock of the host.
  kOutputBytes,  // says that so many bytes are in the first window, and ends
  kCallBytes,    // says that a call has so many bytes
  kCallGarbage,  // a call whose parts do not add up
  kDoneByte,     // an end whose byte (argument, low 8 bits) has a value (next 8 bits)
  kHypercall,    // by number
  kHypercallStorm,
  kEndlessFlush,
  kSleepForever,
  kLoop,
  // Against the next run.
  kDirtyEverything,
  kLeaveState,   // in every register that ring 3 can write
  kReportState,  // what of it is there: the bytes go to stdout
  kTicks,        // the time-stamp counter, to stdout
};

// Behind the run's header, in place of its code.
struct Order {
  Act act = Act::kHlt;
  std::uint32_t padding = 0;
  std::uint64_t argument = 0;
};
static_assert(sizeof(Order) == 16);

// The exit code of a guest that is still there after its act.
inline constexpr std::uint8_t kSurvived = 77;

// What kReportState writes.
struct State {
  std::uint8_t vectors[16][64] = {};  // zmm, or ymm or xmm in the low bytes
  std::uint8_t x87[8][16] = {};
  std::uint16_t x87_control = 0;
  std::uint16_t segments[4] = {};  // ds, es, fs, gs
  std::uint16_t padding = 0;
  std::uint32_t mxcsr = 0;
  std::uint64_t flags = 0;  // those that ring 3 can set: DF, AC, ID
};

}  // namespace plimsoll::microvm::attack
