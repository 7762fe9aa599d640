// What the kernel shows the host of one container: the facts that its tier rests on. Nothing here
// comes from the guest, or from the engine's word about it.
//
// kernel: every process of the container's control group executes the very file (device, inode, and
// a content that was hashed) that the engine has registered as its runtime, and that file says that
// it is gVisor; its first process is in a user namespace of its own. The guest's program is then no
// process of this host. An image with any program under that file's name is another inode, and
// shows. container: no process has a capability, all have a system call filter (unless the operator
// chose "unconfined"), none can gain privileges, and they are in namespaces of their own. The
// limits hold in either.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/docker/cgroup_files.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/runtime_binary.h"

namespace plimsoll::docker {

// What the measuring compares with.
struct Expected {
  ContainerLimits limits{};
  GuestKernel kernel = GuestKernel::kHost;  // asked for
  bool filtered = true;                     // system calls
  std::optional<RuntimeBinary> runtime{};   // when it could be examined
};

struct MeasuredContainer {
  IsolationEvidence evidence{};
  UniqueFd pidfd{};  // of the container's first process
  CgroupFolders cgroup{};
};

// Reads /proc and /sys/fs/cgroup for the container `id`, whose first process the engine says is
// `pid`: its control group is the one of that id. Errors: kNotReady: it has ended, `pid` is another
// container's or none's, this host may not look, or a limit is not what was asked for.
[[nodiscard]] Result<MeasuredContainer> measure_container(pid_t pid, std::string_view id,
                                                          const Expected& expected);

// What is left when the engine is on another host: the tier that was asked for, all of it
// configured and nothing measured.
[[nodiscard]] IsolationEvidence configured_evidence(const Expected& expected);

}  // namespace plimsoll::docker
