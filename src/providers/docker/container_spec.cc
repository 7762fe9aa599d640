#include "providers/docker/container_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace plimsoll::docker {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint32_t kOpenFiles = 1'024;
// An empty file costs the host memory that the size of a tmpfs does not count.
constexpr std::uint32_t kInodesOfAMount = 16'384;

Json ulimit(const char* name, std::uint64_t value) {
  return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

std::string tmpfs(std::uint32_t size_mb, std::string_view owner, GuestKernel kernel) {
  // gVisor knows no limit of inodes, and refuses an option that it does not know.
  const std::string inodes = kernel == GuestKernel::kGvisor
                                 ? std::string()
                                 : fmt::format(",nr_inodes={}", kInodesOfAMount);
  return fmt::format("rw,noexec,nosuid,nodev,size={}m,{}{}", size_mb, owner, inodes);
}

std::string guests_own() { return fmt::format("mode=0700,uid={0},gid={0}", kGuestUid); }

// What of /proc and /sys tells about the host, or changes it. The engine's own lists, written out:
// a version of it that hides less does not show more.
Json masked_paths() {
  return {"/proc/asound",     "/proc/acpi",        "/proc/interrupts",
          "/proc/kcore",      "/proc/keys",        "/proc/latency_stats",
          "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
          "/proc/scsi",       "/sys/firmware",     "/sys/devices/virtual/powercap"};
}

Json read_only_paths() {
  return {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};
}

Json security_options(const ContainerSpec& spec) {
  Json options = {"no-new-privileges:true"};
  if (!spec.seccomp.empty()) options.push_back("seccomp=" + spec.seccomp);
  return options;
}

Json host_config(const ContainerSpec& spec) {
  const ContainerLimits& limits = spec.limits;
  const DiskShares disk = share_disk(limits.disk_mb);
  const bool gvisor = spec.kernel == GuestKernel::kGvisor;
  Json ulimits = {ulimit("nofile", kOpenFiles), ulimit("core", 0),
                  ulimit("fsize", limits.disk_mb * kMiB), ulimit("memlock", 65'536),
                  ulimit("msgqueue", 0)};
  if (gvisor) ulimits.push_back(ulimit("nproc", limits.pids));
  Json config = {{"NetworkMode", "none"},
                 {"ReadonlyRootfs", true},
                 {"Privileged", false},
                 {"CapDrop", {"ALL"}},
                 {"SecurityOpt", security_options(spec)},
                 {"Memory", limits.memory_mb * kMiB},
                 {"MemorySwap", limits.memory_mb * kMiB},
                 {"NanoCpus", static_cast<std::int64_t>(std::llround(limits.cpus * 1e9))},
                 {"PidsLimit", host_pids(spec.kernel, limits.pids)},
                 {"Ulimits", std::move(ulimits)},
                 {"IpcMode", "private"},
                 {"CgroupnsMode", "private"},
                 {"ShmSize", disk.shm_mb * kMiB},
                 // The folder is the guest user's own; /tmp is everybody's, as it always is.
                 {"Tmpfs",
                  {{"/tmp", tmpfs(disk.tmp_mb, "mode=1777", spec.kernel)},
                   {"/work", tmpfs(disk.work_mb, guests_own(), spec.kernel)}}},
                 {"Init", true},
                 {"LogConfig", {{"Type", "none"}}},
                 {"RestartPolicy", {{"Name", "no"}}},
                 {"MaskedPaths", masked_paths()},
                 {"ReadonlyPaths", read_only_paths()},
                 {"Devices", Json::array()},
                 {"Binds", Json::array()},
                 {"OomScoreAdj", 500}};
  if (!spec.runtime.empty()) config["Runtime"] = spec.runtime;
  return config;
}

}  // namespace

std::uint32_t host_pids(GuestKernel kernel, std::uint32_t pids) noexcept {
  constexpr std::uint32_t kThreadsOfTheKernel = 256;
  constexpr std::uint32_t kThreadsOfAProcess = 8;
  return kernel == GuestKernel::kHost ? pids : kThreadsOfTheKernel + kThreadsOfAProcess * pids;
}

DiskShares share_disk(std::uint32_t disk_mb) noexcept {
  const std::uint32_t shm = std::clamp(disk_mb / 8, 1U, 64U);
  const std::uint32_t tmp = std::max(disk_mb / 4, 1U);
  return {.work_mb = disk_mb - std::min(disk_mb, shm + tmp), .tmp_mb = tmp, .shm_mb = shm};
}

std::string to_json(const ContainerSpec& spec) {
  Json labels = Json::object();
  for (const auto& [name, value] : spec.labels) labels[name] = value;
  const Json body = {{"Image", spec.image_id},
                     {"User", fmt::format("{}:{}", kGuestUid, kGuestUid)},
                     {"WorkingDir", "/work"},
                     {"Env", {"HOME=/work", "TMPDIR=/tmp", "LANG=C.UTF-8"}},
                     {"Hostname", "sandbox"},
                     {"Domainname", ""},
                     {"AttachStdin", true},
                     {"AttachStdout", true},
                     {"AttachStderr", true},
                     {"OpenStdin", true},
                     {"StdinOnce", true},
                     {"Tty", false},
                     {"NetworkDisabled", true},
                     {"StopSignal", "SIGKILL"},
                     {"Healthcheck", {{"Test", {"NONE"}}}},
                     {"Labels", std::move(labels)},
                     {"HostConfig", host_config(spec)}};
  return body.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace plimsoll::docker
