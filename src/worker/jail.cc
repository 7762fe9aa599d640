#include "worker/jail.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"
#include "guest/zygote_protocol.h"
#include "worker/filter_program.h"

namespace plimsoll::worker {

namespace {

constexpr uid_t kNobody = 65'534;

// What a step is given and changes.
struct Zygote {
  int proc_fd = -1;
  bool may_change_uid = false;  // root as it was meant; a container may have a root that may not
  std::uint32_t achieved = 0;
};

int errno_or_zero(bool ok) noexcept { return ok ? 0 : errno; }

bool may_change_uid() noexcept {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> held{};
  if (::syscall(SYS_capget, &header, held.data()) != 0) return false;
  constexpr std::uint32_t kNeeded = 1u << CAP_SETUID | 1u << CAP_SETGID;
  return ::geteuid() == 0 && (held[0].effective & kNeeded) == kNeeded;
}

// Writes one line to a file of /proc/self. 0 or an errno.
int write_proc_self(int proc_fd, const char* path, const char* text) noexcept {
  const UniqueFd file(::openat(proc_fd, path, O_WRONLY | O_CLOEXEC));
  if (!file) return errno;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  return errno_or_zero(::write(file.get(), text, static_cast<std::size_t>(size)) == size);
}

// A user namespace in which the caller's uid and gid are nobody's.
void enter_user_namespace(Zygote& zygote) noexcept {
  if (zygote.proc_fd < 0) return;
  const auto uid = static_cast<unsigned>(::geteuid());
  const auto gid = static_cast<unsigned>(::getegid());
  // After a change of uid the files of /proc/self belong to root, unless the process is dumpable.
  // It holds no secret, and has no core (RLIMIT_CORE): the host reads the same files for its
  // evidence.
  (void)::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (::unshare(CLONE_NEWUSER) != 0) return;
  std::array<char, 48> map{};
  (void)write_proc_self(zygote.proc_fd, "self/setgroups", "deny");
  std::snprintf(map.data(), map.size(), "%u %u 1\n", unsigned{kNobody}, uid);
  const bool uid_mapped = write_proc_self(zygote.proc_fd, "self/uid_map", map.data()) == 0;
  std::snprintf(map.data(), map.size(), "%u %u 1\n", unsigned{kNobody}, gid);
  const bool gid_mapped = write_proc_self(zygote.proc_fd, "self/gid_map", map.data()) == 0;
  if (uid_mapped && gid_mapped) zygote.achieved |= guest::kUserNamespace;
}

int user_namespace_first(Zygote& zygote) noexcept {
  // Without privileges it is what permits all the others; root makes those first, see below.
  if (!zygote.may_change_uid) enter_user_namespace(zygote);
  return 0;
}

int other_namespaces(Zygote& zygote) noexcept {
  struct Kind {
    int flag;
    std::uint32_t bit;
  };
  constexpr Kind kKinds[] = {
      {CLONE_NEWNS, guest::kMountNamespace},      {CLONE_NEWNET, guest::kNetNamespace},
      {CLONE_NEWIPC, guest::kIpcNamespace},       {CLONE_NEWUTS, guest::kUtsNamespace},
      {CLONE_NEWCGROUP, guest::kCgroupNamespace}, {CLONE_NEWPID, guest::kPidNamespace},
  };
  for (const Kind& kind : kKinds) {
    if (::unshare(kind.flag) == 0) zygote.achieved |= kind.bit;
  }
  return 0;
}

// Makes the root directory an empty, read-only tmpfs in our own mount namespace.
bool pivot_to_empty_root() noexcept {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  // Any directory will do to mount on; these exist everywhere.
  for (const char* place : {"/proc", "/tmp", "/dev", "/usr"}) {
    if (::mount("plimsoll", place, "tmpfs", kFlags, "size=4k,nr_inodes=2,mode=555") != 0) continue;
    if (::chdir(place) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) return false;
    if (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) return false;
    return ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_RDONLY | kFlags, nullptr) == 0;
  }
  return false;
}

// Without a mount namespace, root can still leave for a directory that no longer exists.
bool chroot_to_deleted_directory() noexcept {
  char path[] = "/tmp/plimsoll-root-XXXXXX";
  if (::mkdtemp(path) == nullptr) return false;
  const UniqueFd directory(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool removed = ::rmdir(path) == 0;
  return directory && removed && ::fchdir(directory.get()) == 0 && ::chroot(".") == 0 &&
         ::chdir("/") == 0;
}

int empty_root(Zygote& zygote) noexcept {
  const bool own_mounts = (zygote.achieved & guest::kMountNamespace) != 0;
  if (own_mounts ? pivot_to_empty_root() : zygote.may_change_uid && chroot_to_deleted_directory()) {
    zygote.achieved |= guest::kEmptyRoot;
  }
  return 0;
}

int become_nobody(Zygote& zygote) noexcept {
  if (!zygote.may_change_uid) return 0;
  if (::setgroups(0, nullptr) != 0) return errno;
  if (::setresgid(kNobody, kNobody, kNobody) != 0) return errno;
  if (::setresuid(kNobody, kNobody, kNobody) != 0) return errno;
  return 0;
}

// The first child after unshare(CLONE_NEWPID) is the namespace's init: when it dies, the kernel
// kills every worker. The parent has nothing left to do but to wait.
int enter_pid_namespace(Zygote& zygote) noexcept {
  if ((zygote.achieved & guest::kPidNamespace) == 0) return 0;
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child > 0) {
    (void)::close_range(0, ~0u, 0);
    if (become_nobody(zygote) != 0) ::_exit(1);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  return 0;
}

int user_namespace_last(Zygote& zygote) noexcept {
  if (zygote.may_change_uid) enter_user_namespace(zygote);
  return 0;
}

int drop_capabilities(Zygote&) noexcept {
  for (unsigned long capability = 0; capability <= 63; ++capability) {
    // EINVAL: beyond the kernel's last one. EPERM: already without CAP_SETPCAP, hence without any.
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return errno_or_zero(::syscall(SYS_capset, &header, none.data()) == 0);
}

int no_new_privileges(Zygote&) noexcept {
  return errno_or_zero(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

// Killed with the parent; cleared by every change of credentials, hence after them. Without a pid
// namespace the parent is the library's process, and the signal would come when the thread ends
// that happened to start us: there the end of the control socket must do.
int die_with_parent(Zygote& zygote) noexcept {
  if ((zygote.achieved & guest::kPidNamespace) == 0) return 0;
  return errno_or_zero(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
}

int limit(__rlimit_resource resource, rlim_t value) noexcept {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return errno;
  const rlim_t bound = value < now.rlim_max ? value : now.rlim_max;
  const rlimit wanted{.rlim_cur = bound, .rlim_max = bound};
  return errno_or_zero(::setrlimit(resource, &wanted) == 0);
}

int zygote_limits(Zygote&) noexcept {
  if (const int error = limit(RLIMIT_CORE, 0); error != 0) return error;
  if (const int error = limit(RLIMIT_FSIZE, 0); error != 0) return error;
  if (const int error = limit(RLIMIT_MEMLOCK, 0); error != 0) return error;
  return limit(RLIMIT_MSGQUEUE, 0);
}

struct Step {
  const char* name;
  int (*run)(Zygote&) noexcept;
};

// In this order.
constexpr Step kZygoteSteps[] = {
    {"limits", zygote_limits},
    {"user namespace", user_namespace_first},
    {"namespaces", other_namespaces},
    {"empty root", empty_root},
    {"pid namespace", enter_pid_namespace},
    {"become nobody", become_nobody},
    {"user namespace", user_namespace_last},
    {"drop capabilities", drop_capabilities},
    {"no_new_privs", no_new_privileges},
    {"die with parent", die_with_parent},
};

}  // namespace

JailResult jail_zygote(int proc_fd) noexcept {
  Zygote zygote{.proc_fd = proc_fd, .may_change_uid = may_change_uid()};
  JailResult result;
  for (const Step& step : kZygoteSteps) {
    result.error = step.run(zygote);
    if (result.error != 0) {
      result.step = step.name;
      break;
    }
  }
  result.achieved = zygote.achieved;
  return result;
}

JailResult jail_worker(const std::vector<sock_filter>& filter, int keep_below,
                       std::size_t data_bytes) noexcept {
  JailResult result;
  const auto failed = [&result](const char* step, int error) {
    result.step = step;
    result.error = error;
    return error != 0;
  };
  const auto last_fd = static_cast<unsigned>(keep_below);
  // Each limit is the least that the worker can live with.
  if (failed("die with parent", errno_or_zero(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0)) ||
      failed("close descriptors", errno_or_zero(::close_range(last_fd, ~0u, 0) == 0)) ||
      failed("limit processes", limit(RLIMIT_NPROC, 0)) ||
      failed("limit descriptors", limit(RLIMIT_NOFILE, static_cast<rlim_t>(keep_below))) ||
      failed("limit memory", limit(RLIMIT_DATA, data_bytes)) ||
      failed("system call filter", install_syscall_filter(filter))) {
    return result;
  }
  return result;
}

}  // namespace plimsoll::worker
