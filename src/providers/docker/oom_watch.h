// Whether the kernel killed a process of a container for its memory. The engine's own word is a
// race that it loses now and then (2 of 8 measured, with gVisor), since the group and its counter
// go soon after the container; version 1 of control groups tells through a descriptor that stays.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/unique_fd.h"
#include "providers/docker/cgroup_files.h"

namespace plimsoll::docker {

// Used by one thread at a time.
class OomWatch {
 public:
  // Watches nothing.
  OomWatch() = default;
  // Of a group that is there. Registers with the kernel where it can.
  explicit OomWatch(CgroupFolders folders);

  // Takes up to half a second once the group has gone, so ask only when it matters.
  [[nodiscard]] bool killed();

 private:
  void count_signals(std::chrono::milliseconds patience);

  CgroupFolders folders_;
  UniqueFd control_;  // memory.oom_control; open as long as the registration holds
  UniqueFd event_;
  std::uint64_t signals_ = 0;  // so far
  bool killed_ = false;
};

}  // namespace plimsoll::docker
