#include "providers/docker/container_evidence.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "providers/docker/failure.h"
#include "providers/proc_files.h"

namespace plimsoll::docker {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr const char* kCgroupRoot = "/sys/fs/cgroup";

class Facts {
 public:
  explicit Facts(EvidenceBasis basis) : basis_(basis) {}
  void add(std::string name, std::string value) {
    evidence.facts.push_back({.name = std::move(name),
                              .value = std::move(value),
                              .basis = basis_,
                              .observed_unix_ms = now_});
  }
  IsolationEvidence evidence;

 private:
  EvidenceBasis basis_;
  std::int64_t now_ = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
};

// What all processes of the container have in common.
struct Processes {
  std::size_t seen = 0;
  std::size_t of_runtime = 0;
  bool unreadable = false;
  bool all_filtered = true;
  bool none_capable = true;
  std::size_t may_gain = 0;  // without no_new_privs
};

bool no_capability(std::string_view hex) noexcept {
  return !hex.empty() && hex.find_first_not_of('0') == std::string_view::npos;
}

void look_at(pid_t pid, const std::optional<RuntimeBinary>& runtime, Processes& all) {
  const std::string process = fmt::format("/proc/{}", pid);
  const auto status = read_small_file(process + "/status");
  // One that has ended since is no part of what holds the guest; a zombie has no program.
  if (!status || status_field(*status, "State").starts_with('Z')) return;
  struct stat program{};
  if (::stat((process + "/exe").c_str(), &program) != 0) {
    if (errno != ENOENT && errno != ESRCH) all.unreadable = true;
    return;
  }
  ++all.seen;
  if (runtime && identity_of(program) == runtime->file) ++all.of_runtime;
  if (status_field(*status, "Seccomp") != "2") all.all_filtered = false;
  if (!no_capability(status_field(*status, "CapEff"))) all.none_capable = false;
  if (status_field(*status, "NoNewPrivs") != "1") ++all.may_gain;
}

// How often the first process is numbered: once for each namespace of processes that it is in.
std::size_t numbers_of(const std::string& status) {
  const std::string numbers = status_field(status, "NSpid");
  return numbers.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(numbers, '\t'));
}

std::string relation_of(pid_t pid, std::string_view kind) {
  const std::string theirs = link_text(fmt::format("/proc/{}/ns/{}", pid, kind));
  const std::string ours = link_text(fmt::format("/proc/self/ns/{}", kind));
  if (theirs.empty() || ours.empty()) return "unknown";
  // Where this process is in a container itself and sees the host's processes: the host's may be
  // the first one's. Some hosts do not let it be looked at; then it is ours that counts.
  const std::string first = link_text(fmt::format("/proc/1/ns/{}", kind));
  return theirs == ours || theirs == first ? "the host's" : "own";
}

bool own(pid_t pid, std::string_view kind) { return relation_of(pid, kind) == "own"; }

std::string text_of(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "none";
}

Result<void> check_limits(const CgroupLimits& measured, const Expected& expected) {
  const ContainerLimits& limits = expected.limits;
  const std::uint64_t memory = limits.memory_mb * kMiB;
  const std::uint64_t pids = host_pids(expected.kernel, limits.pids);
  const auto differs = [](std::string_view name, const std::string& is, std::uint64_t wanted) {
    return not_ready(
        fmt::format("the container's limit of {} is {}, not {}: it is not enforced as "
                    "it was asked for",
                    name, is, wanted));
  };
  // The kernel rounds memory down to whole pages.
  if (!measured.memory_bytes || *measured.memory_bytes > memory) {
    return differs("memory", text_of(measured.memory_bytes), memory);
  }
  if (!measured.memory_and_swap_bytes || *measured.memory_and_swap_bytes > memory) {
    return differs("memory and swap", text_of(measured.memory_and_swap_bytes), memory);
  }
  if (!measured.pids || *measured.pids > pids) {
    return differs("processes", text_of(measured.pids), pids);
  }
  if (!measured.cpus || *measured.cpus > limits.cpus + 0.01) {
    return not_ready("the container's limit of processors is not enforced as it was asked for");
  }
  return {};
}

void add_runtime(Facts& facts, const Expected& expected) {
  if (!expected.runtime) return;
  facts.add("runtime.path", expected.runtime->path);
  facts.add("runtime.sha256", expected.runtime->sha256);
  facts.add("runtime.version",
            expected.runtime->version.empty() ? "unknown" : expected.runtime->version);
}

void add_limits(Facts& facts, const CgroupLimits& limits) {
  facts.add("cgroup.memory_bytes", text_of(limits.memory_bytes));
  facts.add("cgroup.memory_and_swap_bytes", text_of(limits.memory_and_swap_bytes));
  facts.add("cgroup.pids", text_of(limits.pids));
  facts.add("cgroup.cpus", limits.cpus ? fmt::format("{:.2f}", *limits.cpus) : "none");
}

Isolation tier_of(pid_t pid, const Processes& all, const Expected& expected, std::size_t numbers) {
  if (all.unreadable || all.seen == 0) return Isolation::kNone;
  if (expected.runtime && expected.runtime->is_gvisor && all.of_runtime == all.seen &&
      numbers == 1 && own(pid, "user")) {
    return Isolation::kKernel;
  }
  const bool locked =
      all.none_capable && all.may_gain == 0 && (all.all_filtered || !expected.filtered);
  const bool apart = own(pid, "pid") && own(pid, "mnt") && own(pid, "net") && own(pid, "ipc");
  return locked && apart ? Isolation::kContainer : Isolation::kNone;
}

// Of a container that may end meanwhile; what is seen then, error or not, says nothing of it.
Result<MeasuredContainer> look_at_container(pid_t pid, std::string_view id,
                                            const Expected& expected) {
  MeasuredContainer measured;
  const auto status = read_small_file(fmt::format("/proc/{}/status", pid));
  const auto group = read_small_file(fmt::format("/proc/{}/cgroup", pid));
  if (!status || !group) return not_ready("this host does not show the container's processes");
  auto folders = find_cgroup(*group, kCgroupRoot);
  if (!folders) return not_ready("the container's control group is not to be seen from here");
  measured.cgroup = *std::move(folders);
  if (!is_group_of(measured.cgroup, id)) {
    return not_ready(fmt::format(
        "process {}, which the engine says is the container's first, is in another control group",
        pid));
  }
  const auto pids = read_pids(measured.cgroup);
  if (!pids) return not_ready("the processes of the container's control group cannot be listed");
  const CgroupLimits limits = read_limits(measured.cgroup);
  if (auto valid = check_limits(limits, expected); !valid) {
    return std::unexpected(std::move(valid).error());
  }
  Processes all;
  for (const pid_t one : *pids) look_at(one, expected.runtime, all);
  if (all.unreadable) {
    return not_ready(
        "this process may not look at the container's processes (it takes root, or "
        "CAP_SYS_PTRACE); "
        "without that no tier can be measured");
  }
  const std::size_t numbers = numbers_of(*status);

  Facts facts(EvidenceBasis::kMeasured);
  facts.add("container.pid", std::to_string(pid));
  facts.add("container.processes", std::to_string(all.seen));
  facts.add("container.processes_of_runtime", std::to_string(all.of_runtime));
  facts.add("container.pid_namespaces", std::to_string(numbers));
  for (const char* kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"}) {
    facts.add(fmt::format("container.ns.{}", kind), relation_of(pid, kind));
  }
  facts.add("container.seccomp", all.all_filtered ? "filter" : "not everywhere");
  facts.add("container.capabilities", all.none_capable ? "none" : "some");
  facts.add("container.without_no_new_privs", std::to_string(all.may_gain));
  add_limits(facts, limits);
  add_runtime(facts, expected);
  facts.evidence.tier = tier_of(pid, all, expected, numbers);
  measured.evidence = std::move(facts.evidence);
  return measured;
}

}  // namespace

Result<MeasuredContainer> measure_container(pid_t pid, std::string_view id,
                                            const Expected& expected) {
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    return not_ready("the container has ended, or this host does not show its processes");
  }
  auto measured = look_at_container(pid, id, expected);
  // Only now is it sure that all of this was about one container.
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, 0) != 0) return not_ready("the container ended while it was measured");
  if (measured) measured->pidfd = std::move(pidfd);
  return measured;
}

IsolationEvidence configured_evidence(const Expected& expected) {
  Facts facts(EvidenceBasis::kConfigured);
  facts.add("container.limits",
            fmt::format("{} MiB, {:.2f} cpus, {} pids, {} MiB of disk", expected.limits.memory_mb,
                        expected.limits.cpus, expected.limits.pids, expected.limits.disk_mb));
  facts.add("container.seccomp", expected.filtered ? "filter" : "unconfined");
  facts.add("container.kernel",
            expected.kernel == GuestKernel::kGvisor ? "gvisor" : "the engine host's");
  facts.evidence.tier =
      expected.kernel == GuestKernel::kGvisor ? Isolation::kKernel : Isolation::kContainer;
  return std::move(facts.evidence);
}

}  // namespace plimsoll::docker
