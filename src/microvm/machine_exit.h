// Why a virtual processor came back, told apart without trusting the guest. Pure.
#pragma once

#include <cstdint>

#include "guest/frame.h"
#include "microvm/kvm_abi.h"
#include "microvm/mailbox.h"

namespace plimsoll::microvm {

struct MachineExit {
  enum class Kind : std::uint8_t {
    kHypercall,    // `call`
    kInterrupted,  // by a signal of ours
    kFault,        // the machine has ended: `fault` and `detail` say how
  };
  Kind kind = Kind::kFault;
  Hypercall call = Hypercall::kPanic;
  guest::FaultReason fault = guest::FaultReason::kUnknownExit;
  std::uint32_t detail = 0;  // the port, KVM's suberror, or its exit reason
};

// `run` is the page that KVM shares with us, `run_bytes` long.
[[nodiscard]] MachineExit classify(const kvm_run& run, std::size_t run_bytes) noexcept;

// Whose fault an address is: the engine's trap that it stands for (engine/guest_thread.h).
[[nodiscard]] std::uint8_t trap_of(guest::FaultReason reason, std::uint64_t address) noexcept;

}  // namespace plimsoll::microvm
