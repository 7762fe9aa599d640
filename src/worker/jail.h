// Confinement, as two ordered lists of steps: what the zygote does once for itself and all its
// workers, and what each worker does before it reads its first byte. Every step fails closed; the
// ones that a host may forbid are optional, and what was achieved is recorded, never assumed.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::worker {

struct JailResult {
  int error = 0;               // 0, or the errno of the step that failed
  const char* step = "";       // its name; static
  std::uint32_t achieved = 0;  // bits of guest::Achieved
};

// Namespaces, empty root, uid nobody, no capabilities, no_new_privs, limits. When a pid namespace
// was made, the caller goes on as its first process, and the process that was started stays behind
// to wait for it. `proc_fd`: an open /proc, or -1.
[[nodiscard]] JailResult jail_zygote(int proc_fd) noexcept;

// The worker's last steps: its own descriptors only, its limits, the system call filter last.
// `data_bytes` bounds its private memory. Descriptors at and above `keep_below` are closed.
[[nodiscard]] JailResult jail_worker(const std::vector<sock_filter>& filter, int keep_below,
                                     std::size_t data_bytes) noexcept;

}  // namespace plimsoll::worker
