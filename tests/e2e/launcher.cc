// launcher [--deny CALL]... [--deny-namespaces] [--hide-proc] PROGRAM [ARGUMENT...]
// Starts a program in poorer surroundings than this host's: as a container runtime's default
// profile, or an administrator, would have it. A denial is an error of the system call, no death.
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace {

struct FilterDeleter {
  void operator()(void* filter) const noexcept { ::seccomp_release(filter); }
};

int fail(const char* what) {
  std::perror(what);
  return 125;
}

bool deny(scmp_filter_ctx filter, int call, int error) {
  return ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), call, 0) ==
         0;
}

// What Docker's default profile refuses a container without CAP_SYS_ADMIN.
bool deny_namespaces(scmp_filter_ctx filter) {
  for (const char* name : {"unshare", "setns", "mount", "umount2", "pivot_root", "move_mount",
                           "fsopen", "fsmount", "open_tree"}) {
    if (!deny(filter, ::seccomp_syscall_resolve_name(name), EPERM)) return false;
  }
  constexpr std::uint64_t kNew = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  for (std::uint64_t flag = 1; flag <= kNew; flag <<= 1) {
    if ((flag & kNew) == 0) continue;
    const scmp_arg_cmp has_flag{
        .arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = flag, .datum_b = flag};
    if (::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, has_flag) != 0) {
      return false;
    }
  }
  // Its flags lie in memory, where a filter cannot look; programs fall back to clone.
  return deny(filter, SCMP_SYS(clone3), ENOSYS);
}

// An empty /proc, as in a chroot where nobody mounted it.
bool hide_proc() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<void, FilterDeleter> filter(::seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return fail("seccomp_init");
  bool filtered = false;
  int at = 1;
  for (; at < argc && std::strncmp(argv[at], "--", 2) == 0; ++at) {
    const std::string_view flag(argv[at]);
    if (flag == "--hide-proc") {
      if (!hide_proc()) return fail("hide /proc");
    } else if (flag == "--deny-namespaces") {
      if (!deny_namespaces(filter.get())) return fail("deny namespaces");
      filtered = true;
    } else if (flag == "--deny" && at + 1 < argc) {
      const int call = ::seccomp_syscall_resolve_name(argv[++at]);
      if (call == __NR_SCMP_ERROR || !deny(filter.get(), call, EPERM)) return fail(argv[at]);
      filtered = true;
    } else {
      std::fprintf(stderr, "launcher: unknown flag %s\n", argv[at]);
      return 125;
    }
  }
  if (at == argc) return fail("launcher: a program is needed");
  if (filtered && ::seccomp_load(filter.get()) != 0) return fail("seccomp_load");
  ::execv(argv[at], argv + at);
  return fail(argv[at]);
}
