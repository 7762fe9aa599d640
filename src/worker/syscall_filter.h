// The system calls that a worker may make once it is jailed: an allowlist; anything else kills it.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace plimsoll::worker {

// The filter as a BPF program, made once by the zygote and installed by each worker. Empty:
// libseccomp failed. The list, with the reason for each entry, is in the source.
[[nodiscard]] std::vector<sock_filter> make_syscall_filter();

}  // namespace plimsoll::worker
