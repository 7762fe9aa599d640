#include "providers/wasm/worker_evidence.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "providers/proc_files.h"
#include "providers/wasm/failure.h"

namespace plimsoll::wasm {

namespace {

std::optional<std::string> pid_of(int pidfd) {
  const auto info = read_small_file(fmt::format("/proc/self/fdinfo/{}", pidfd));
  if (!info) return std::nullopt;
  std::string pid = status_field(*info, "Pid");
  if (pid.empty() || pid.front() == '-' || pid == "0") return std::nullopt;
  return pid;
}

bool still_alive(int pidfd) noexcept {
  pollfd ended{.fd = pidfd, .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 0;
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

class Facts {
 public:
  void add(std::string name, std::string value) {
    evidence.facts.push_back({.name = std::move(name),
                              .value = std::move(value),
                              .basis = EvidenceBasis::kMeasured,
                              .observed_unix_ms = now_});
  }
  IsolationEvidence evidence;

 private:
  std::int64_t now_ = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
};

}  // namespace

Result<IsolationEvidence> measure_worker(int pidfd) {
  const auto pid = pid_of(pidfd);
  if (!pid) return not_ready("the worker has ended, or /proc is not readable");
  const std::string process = "/proc/" + *pid;
  const auto status = read_small_file(process + "/status");
  if (!status) return not_ready("the worker's /proc status is not readable");

  Facts facts;
  const std::string seccomp = status_field(*status, "Seccomp");
  const std::string no_new_privs = status_field(*status, "NoNewPrivs");
  const std::string capabilities = status_field(*status, "CapEff");
  facts.add("worker.pid", *pid);
  facts.add("worker.seccomp", seccomp == "2" ? "filter" : seccomp);
  facts.add("worker.no_new_privs", no_new_privs);
  facts.add("worker.cap_eff", capabilities);
  const std::string uids = status_field(*status, "Uid");
  facts.add("worker.uid", uids.substr(0, uids.find('\t')));
  for (const char* kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"}) {
    const std::string theirs = link_text(fmt::format("{}/ns/{}", process, kind));
    const std::string ours = link_text(fmt::format("/proc/self/ns/{}", kind));
    const std::string_view relation = theirs.empty()   ? "unknown"
                                      : theirs == ours ? "the host's"
                                                       : "own";
    facts.add(fmt::format("worker.ns.{}", kind),
              theirs.empty() ? "unknown" : fmt::format("{} {}", relation, theirs));
  }
  facts.add("worker.root", root_of(process));
  // Only now is it sure that all of this was about one process.
  if (!still_alive(pidfd)) return not_ready("the worker ended while it was measured");

  const bool jailed = seccomp == "2" && no_new_privs == "1" && !capabilities.empty() &&
                      capabilities.find_first_not_of('0') == std::string::npos;
  facts.evidence.tier = jailed ? Isolation::kProcess : Isolation::kNone;
  return std::move(facts.evidence);
}

}  // namespace plimsoll::wasm
