#include "worker/syscall_filter.h"

#include <seccomp.h>
#include <sys/mman.h>

#include "engine/pagemap_scan.h"
#include "worker/filter_program.h"
#include "worker/worker.h"

namespace plimsoll::worker {

namespace {

// Calls that are allowed whatever their arguments are.
constexpr int kAllowed[] = {
    SCMP_SYS(read),             // frames from the host
    SCMP_SYS(write),            //
    SCMP_SYS(sendmsg),          // frames to the host
    SCMP_SYS(pread64),          // /proc/self/pagemap, opened before, where it cannot be scanned
    SCMP_SYS(madvise),          // giving touched pages back
    SCMP_SYS(munmap),           // the allocator
    SCMP_SYS(brk),              // the allocator
    SCMP_SYS(timer_settime),    // the deadline
    SCMP_SYS(rt_sigreturn),     // return from its signal
    SCMP_SYS(rt_sigaction),     // a fault that is not the guest's: default action, then die of it
    SCMP_SYS(clock_gettime),    // where the vDSO cannot answer
    SCMP_SYS(clock_nanosleep),  // timers of the guest
    SCMP_SYS(ppoll),            // waiting for an answer of the host, and for a timer at once
    SCMP_SYS(restart_syscall),  // the same, after a stop
    SCMP_SYS(getrandom),        // randomness for the guest
    SCMP_SYS(exit_group),
};

bool build(scmp_filter_ctx filter) noexcept {
  for (const int call : kAllowed) {
    if (::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0) return false;
  }
  // One request to one descriptor: which pages of its own a worker has written.
  constexpr scmp_arg_cmp kPagemap{.arg = 0, .op = SCMP_CMP_EQ, .datum_a = kPagemapFd, .datum_b = 0};
  constexpr scmp_arg_cmp kScan{
      .arg = 1, .op = SCMP_CMP_EQ, .datum_a = engine::kPagemapScan, .datum_b = 0};
  if (::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 2, kPagemap, kScan) != 0) {
    return false;
  }
  // Memory is never executable, and never comes from a file.
  constexpr scmp_arg_cmp kNoExec{
      .arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = PROT_EXEC, .datum_b = 0};
  constexpr scmp_arg_cmp kAnonymous{
      .arg = 3, .op = SCMP_CMP_MASKED_EQ, .datum_a = MAP_ANONYMOUS, .datum_b = MAP_ANONYMOUS};
  return ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, kNoExec) == 0 &&
         ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, kNoExec, kAnonymous) == 0;
}

}  // namespace

std::vector<sock_filter> make_syscall_filter() {
  const FilterContext filter = new_filter();
  if (filter == nullptr || !build(filter.get())) return {};
  return program_of(filter);
}

}  // namespace plimsoll::worker
