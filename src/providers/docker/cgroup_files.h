// One container's control group, as the host's kernel shows it: which processes are in it, and the
// limits that hold for it. Version 1, version 2, and the hybrid of both.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::docker {

inline constexpr std::size_t kMaxPidsOfAGroup = 65'536;

// The folders of one control group; empty: that controller is not to be seen.
struct CgroupFolders {
  std::string processes{};  // the one to list processes of
  std::string memory{};
  std::string pids{};
  std::string cpu{};
  bool unified = false;  // version 2: all are one
};

// From the text of /proc/PID/cgroup. `root`: where the hierarchies are mounted. nullopt: the
// process is in no group of its own, or the text is not to be understood.
[[nodiscard]] std::optional<CgroupFolders> find_cgroup(std::string_view cgroup_text,
                                                       const std::string& root);

// Whether it is the group that an engine made for the container of this id: a part of its path is
// ID (cgroupfs) or ends with -ID.scope (systemd), below whatever parent the engine was given.
[[nodiscard]] bool is_group_of(const CgroupFolders& folders, std::string_view container_id);

// What the kernel says that it enforces. nullopt: no limit, or not readable.
struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes{};
  std::optional<std::uint64_t> memory_and_swap_bytes{};
  std::optional<std::uint64_t> pids{};
  std::optional<double> cpus{};
};
[[nodiscard]] CgroupLimits read_limits(const CgroupFolders& folders);

// Every process of the group and of groups below it. nullopt: not readable, or too many.
[[nodiscard]] std::optional<std::vector<pid_t>> read_pids(const CgroupFolders& folders);

// How often the kernel killed a process of the group for its memory. nullopt: not readable, which
// it is not once the container has gone.
[[nodiscard]] std::optional<std::uint64_t> read_oom_kills(const CgroupFolders& folders);

}  // namespace plimsoll::docker
