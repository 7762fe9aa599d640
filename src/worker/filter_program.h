// From a list of system calls to the program that the kernel runs. What a filter does not name
// kills the process.
#pragma once

#include <linux/filter.h>
#include <seccomp.h>

#include <memory>
#include <vector>

namespace plimsoll::worker {

struct FilterDeleter {
  void operator()(void* filter) const noexcept { ::seccomp_release(filter); }
};
using FilterContext = std::unique_ptr<void, FilterDeleter>;

// An empty allowlist, for seccomp_rule_add(); null when libseccomp failed.
[[nodiscard]] FilterContext new_filter();

// The filter as a BPF program. Empty: libseccomp failed.
[[nodiscard]] std::vector<sock_filter> program_of(const FilterContext& filter);

// Installs it for the calling process, for good. Needs no_new_privs. Returns 0 or an errno.
[[nodiscard]] int install_syscall_filter(const std::vector<sock_filter>& filter) noexcept;

}  // namespace plimsoll::worker
