// The system calls that a VMM may make once it is jailed, and of KVM's requests those that a run
// and a reset take; anything else kills it.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace plimsoll::microvm {

// The descriptors that a VMM keeps: null, null, null, its channel, its machine, its processor, and
// the counters of that, which the host has as well.
inline constexpr int kChannelFd = 3;
inline constexpr int kVmFd = 4;
inline constexpr int kVcpuFd = 5;
inline constexpr int kStatisticsFd = 6;
inline constexpr int kFirstClosedFd = 7;

// Empty: libseccomp failed. The list, with the reason for each entry, is in the source.
[[nodiscard]] std::vector<sock_filter> make_vmm_filter();

}  // namespace plimsoll::microvm
