// What the engine is asked for when it makes a container: everything that locks it down, in one
// place. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::docker {

// What one container may use. All are enforced by the kernel (or by gVisor), none by the runner.
struct ContainerLimits {
  std::uint32_t memory_mb = 256;  // of everything in it, files in tmpfs included; no swap
  double cpus = 1;
  std::uint32_t pids = 128;    // processes and threads of the guest
  std::uint32_t disk_mb = 64;  // of all that it can write, together
};

// Which kernel the guest's system calls go to.
enum class GuestKernel : std::uint8_t { kHost, kGvisor };

struct ContainerSpec {
  std::string image_id{};  // "sha256:<hex>"; never a name, which could come to mean another image
  std::string runtime{};   // of the engine; empty: its default
  GuestKernel kernel = GuestKernel::kHost;
  ContainerLimits limits{};
  // The system call filter: a profile (JSON), "unconfined", or empty for the engine's own.
  std::string seccomp{};
  std::vector<std::pair<std::string, std::string>> labels{};
};

// "nobody" of the host: the owner of nothing.
inline constexpr unsigned kGuestUid = 65'534;

// What the cgroup counts. gVisor's kernel has threads of its own (31 to 51 when nothing runs) and
// some more for each process of the guest (5, measured with its ptrace platform), and a sandbox
// that cannot make one dies. There the guest's own processes are bounded by RLIMIT_NPROC, which is
// counted inside of the sandbox, and this only bounds the whole.
[[nodiscard]] std::uint32_t host_pids(GuestKernel kernel, std::uint32_t pids) noexcept;

// How the writable space is divided, in MiB; the sum is the limit. The least limit is 3.
struct DiskShares {
  std::uint32_t work_mb = 0;
  std::uint32_t tmp_mb = 0;
  std::uint32_t shm_mb = 0;
};
[[nodiscard]] DiskShares share_disk(std::uint32_t disk_mb) noexcept;

// The body of a creation.
[[nodiscard]] std::string to_json(const ContainerSpec& spec);

}  // namespace plimsoll::docker
