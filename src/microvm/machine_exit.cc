#include "microvm/machine_exit.h"

#include "microvm/layout.h"

namespace plimsoll::microvm {

namespace {

using guest::FaultReason;

// The engine's Trap, by number.
constexpr std::uint8_t kOutOfBounds = 1;
constexpr std::uint8_t kUnreachable = 3;
constexpr std::uint8_t kStackExhausted = 5;

MachineExit fault(FaultReason reason, std::uint32_t detail) noexcept {
  return {.kind = MachineExit::Kind::kFault, .fault = reason, .detail = detail};
}

MachineExit port(const kvm_run& run, std::size_t run_bytes) noexcept {
  const bool ours = run.io.direction == KVM_EXIT_IO_OUT && run.io.size == 1 && run.io.count == 1 &&
                    run.io.port == kHypercallPort && run.io.data_offset < run_bytes;
  if (!ours) return fault(FaultReason::kPort, run.io.port);
  const auto number = reinterpret_cast<const std::uint8_t*>(&run)[run.io.data_offset];
  if (number < static_cast<std::uint8_t>(Hypercall::kBooted) ||
      number >= static_cast<std::uint8_t>(Hypercall::kPanic)) {
    return fault(FaultReason::kPanic, number);
  }
  return {.kind = MachineExit::Kind::kHypercall, .call = static_cast<Hypercall>(number)};
}

}  // namespace

MachineExit classify(const kvm_run& run, std::size_t run_bytes) noexcept {
  switch (run.exit_reason) {
    case KVM_EXIT_IO:
      return port(run, run_bytes);
    case KVM_EXIT_INTR:
      return {.kind = MachineExit::Kind::kInterrupted};
    case KVM_EXIT_SHUTDOWN:
      return fault(FaultReason::kShutdown, 0);
    case KVM_EXIT_INTERNAL_ERROR:
      return fault(run.internal.suberror == KVM_INTERNAL_ERROR_EMULATION
                       ? FaultReason::kEmulation
                       : FaultReason::kInternalError,
                   run.internal.suberror);
    case KVM_EXIT_FAIL_ENTRY:
      return fault(FaultReason::kFailedEntry,
                   static_cast<std::uint32_t>(run.fail_entry.hardware_entry_failure_reason));
    case KVM_EXIT_HLT:
      return fault(FaultReason::kHalt, 0);
    case KVM_EXIT_MMIO:
      return fault(FaultReason::kNoMemory, 0);
    default:
      return fault(FaultReason::kUnknownExit, run.exit_reason);
  }
}

std::uint8_t trap_of(FaultReason reason, std::uint64_t address) noexcept {
  if (reason != FaultReason::kShutdown) return kUnreachable;
  if (address >= kLinearAddress && address - kLinearAddress < kLinearReach) return kOutOfBounds;
  // A recursion runs out of the stack's lower end.
  constexpr std::uint64_t kGuard = std::uint64_t{1} << 20;
  if (address >= kStackAddress - kGuard && address < kStackAddress) return kStackExhausted;
  return kUnreachable;
}

}  // namespace plimsoll::microvm
