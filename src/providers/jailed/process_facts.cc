#include "providers/jailed/process_facts.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "providers/jailed/failure.h"
#include "providers/proc_files.h"

namespace plimsoll::jailed {

namespace {

std::optional<std::string> pid_of(int pidfd) {
  const auto info = read_small_file(fmt::format("/proc/self/fdinfo/{}", pidfd));
  if (!info) return std::nullopt;
  std::string pid = status_field(*info, "Pid");
  if (pid.empty() || pid.front() == '-' || pid == "0") return std::nullopt;
  return pid;
}

// "empty", "not empty", or "unknown".
std::string root_of(const std::string& process) {
  struct Close {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> root(::opendir((process + "/root/").c_str()));
  if (root == nullptr) return "unknown";
  while (const dirent* entry = ::readdir(root.get())) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") return "not empty";
  }
  return "empty";
}

}  // namespace

bool still_alive(int pidfd) noexcept {
  pollfd ended{.fd = pidfd, .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 0;
}

Facts::Facts()
    : now_(std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
               .count()) {}

void Facts::add(std::string name, std::string value) {
  evidence.facts.push_back({.name = std::move(name),
                            .value = std::move(value),
                            .basis = EvidenceBasis::kMeasured,
                            .observed_unix_ms = now_});
}

void Facts::replace(IsolationEvidence& evidence, std::string_view name, std::string value) {
  std::erase_if(evidence.facts, [name](const EvidenceFact& fact) { return fact.name == name; });
  Facts now;
  now.add(std::string(name), std::move(value));
  evidence.facts.push_back(std::move(now.evidence.facts.front()));
}

Result<ProcessFacts> measure_process(int pidfd, std::string_view prefix, Facts& facts) {
  const auto pid = pid_of(pidfd);
  if (!pid) return not_ready("the worker has ended, or /proc is not readable");
  const std::string process = "/proc/" + *pid;
  const auto status = read_small_file(process + "/status");
  if (!status) return not_ready("the worker's /proc status is not readable");
  const auto add = [&](std::string_view name, std::string value) {
    facts.add(fmt::format("{}{}", prefix, name), std::move(value));
  };
  const std::string seccomp = status_field(*status, "Seccomp");
  const std::string no_new_privs = status_field(*status, "NoNewPrivs");
  const std::string capabilities = status_field(*status, "CapEff");
  add("pid", *pid);
  add("seccomp", seccomp == "2" ? "filter" : seccomp);
  add("no_new_privs", no_new_privs);
  add("cap_eff", capabilities);
  const std::string uids = status_field(*status, "Uid");
  add("uid", uids.substr(0, uids.find('\t')));
  for (const char* kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"}) {
    const std::string theirs = link_text(fmt::format("{}/ns/{}", process, kind));
    const std::string ours = link_text(fmt::format("/proc/self/ns/{}", kind));
    const std::string_view relation = theirs.empty()   ? "unknown"
                                      : theirs == ours ? "the host's"
                                                       : "own";
    add(fmt::format("ns.{}", kind),
        theirs.empty() ? "unknown" : fmt::format("{} {}", relation, theirs));
  }
  add("root", root_of(process));
  return ProcessFacts{.pid = *pid,
                      .jailed = seccomp == "2" && no_new_privs == "1" && !capabilities.empty() &&
                                capabilities.find_first_not_of('0') == std::string::npos};
}

}  // namespace plimsoll::jailed
