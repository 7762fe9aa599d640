#include "process_tier.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "output.h"
#include "smoke_check.h"

#ifndef MFD_EXEC  // Linux 6.3; Debian 12's headers are older
#define MFD_EXEC 0x0010U
#endif

namespace plimsoll::cli {
namespace {

HostCheck check_seccomp() {
  HostCheck check{.name = "seccomp", .detail = "filters that kill the process are available"};
  const unsigned action = SECCOMP_RET_KILL_PROCESS;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return check;
  check.finding = Finding::kMissing;
  check.detail = "the kernel does not offer it: " + describe_errno(errno);
  check.remedy = "use a kernel with CONFIG_SECCOMP_FILTER, 4.14 or newer";
  return check;
}

HostCheck check_no_new_privs() {
  HostCheck check{.name = "no_new_privs", .detail = "available"};
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0) return check;
  check.finding = Finding::kMissing;
  check.detail = "the kernel does not offer it: " + describe_errno(errno);
  check.remedy = "use Linux 3.5 or newer";
  return check;
}

// A child tries, for a process that has entered a namespace does not come back.
int errno_of_user_namespace() {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno & 0xff);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

HostCheck check_user_namespaces() {
  HostCheck check{.name = "user namespaces", .detail = "one could be made"};
  const int error = errno_of_user_namespace();
  if (error == 0) return check;
  check.finding = Finding::kWeaker;
  check.detail =
      "none could be made: " + describe_errno(error) + "; the jail does without namespaces";
  check.remedy =
      "look at the sysctls user.max_user_namespaces, kernel.unprivileged_userns_clone and "
      "kernel.apparmor_restrict_unprivileged_userns, and at a container's seccomp profile";
  return check;
}

HostCheck check_memfd() {
  HostCheck check{.name = "memfd", .detail = "a file in memory may be executed"};
  int fd = ::memfd_create("plimsoll-doctor", MFD_CLOEXEC | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create("plimsoll-doctor", MFD_CLOEXEC);
  const int error = errno;
  struct stat info{};
  const bool executable = fd >= 0 && ::fstat(fd, &info) == 0 && (info.st_mode & S_IXUSR) != 0;
  if (fd >= 0) ::close(fd);
  if (executable) return check;
  check.finding = Finding::kWeaker;
  check.detail = fd < 0 ? "none could be made: " + describe_errno(error) : "it may not be executed";
  check.remedy =
      "set the sysctl vm.memfd_noexec to 0 or 1, or name an installed plimsoll-worker in "
      "WasmConfig::worker_path";
  return check;
}

}  // namespace

TierReport examine_process_tier() {
  TierReport report{.tier = Isolation::kProcess,
                    .what = "wasm: JavaScript in a jailed process",
                    .in_this_build = InThisBuild::kYes,
                    .checks = {}};
  report.checks.push_back(check_seccomp());
  report.checks.push_back(check_no_new_privs());
  report.checks.push_back(check_user_namespaces());
  report.checks.push_back(check_memfd());
  report.checks.push_back(start_for_real({.provider = ProviderKind::kWasm}, report.evidence));
  return report;
}

}  // namespace plimsoll::cli
