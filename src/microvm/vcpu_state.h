// Everything that a virtual processor remembers, and how it is put back. What is not here cannot be
// changed from ring 3; the time-stamp counter goes on over all runs of a machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "microvm/failure.h"
#include "microvm/kvm_abi.h"

namespace plimsoll::microvm {

struct VcpuState {
  kvm_regs regs{};
  kvm_sregs sregs{};
  kvm_xcrs xcrs{};
  kvm_debugregs debug{};
  kvm_vcpu_events events{};
  MsrTable msrs{};
  std::vector<std::byte> xsave;  // the whole mask, whatever XCR0 says
};

// The state of a processor in ring 3, in 64-bit mode: `entry`, the stack, the thread pointer and
// the segment of linear memory of the layout. No interrupt or exception has a handler: each ends
// the machine. Ring 3 may use one port, its way to the VMM; SYSCALL, the writing of segment bases
// and XSAVE are not enabled.
[[nodiscard]] Try<VcpuState> initial_state(int vcpu, std::uint64_t entry, std::size_t xsave_bytes);

// Nothing may be pending (Machine::settle).
[[nodiscard]] Try<VcpuState> read_state(int vcpu, std::size_t xsave_bytes);

// Puts all of it back. False: the machine must not be used again.
[[nodiscard]] bool write_state(int vcpu, const VcpuState& state) noexcept;

// Whether two states are the same for whoever runs next.
[[nodiscard]] bool same_state(const VcpuState& a, const VcpuState& b) noexcept;

}  // namespace plimsoll::microvm
