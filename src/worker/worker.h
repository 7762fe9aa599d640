// A worker's life: jail itself, say so, then run what the host sends until the channel ends.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <vector>

#include "base/unique_fd.h"

namespace plimsoll::worker {

// The descriptors that a worker keeps: null, null, null, its channel, its pagemap.
inline constexpr int kChannelFd = 3;
inline constexpr int kPagemapFd = 4;
inline constexpr int kFirstClosedFd = 5;

struct WorkerStart {
  UniqueFd channel;
  int proc_fd = -1;  // an open /proc, or -1
  const std::vector<sock_filter>* filter = nullptr;
  std::size_t memory_bytes = 0;
};

// In a freshly forked process with a prepared slot. Ends the process: 0 when the host closed the
// channel, 1 when the protocol was broken or the jail failed (the host sees the channel end without
// kReady).
[[noreturn]] void run_worker(WorkerStart start) noexcept;

}  // namespace plimsoll::worker
