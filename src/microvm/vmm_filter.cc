#include "microvm/vmm_filter.h"

#include <seccomp.h>

#include "microvm/kvm_abi.h"
#include "worker/filter_program.h"

namespace plimsoll::microvm {

namespace {

// Calls that are allowed whatever their arguments are.
constexpr int kAllowed[] = {
    SCMP_SYS(read),             // frames from the host
    SCMP_SYS(sendmsg),          // frames to the host
    SCMP_SYS(ppoll),            // waiting for an answer of the host's
    SCMP_SYS(clock_nanosleep),  // timers of the guest
    SCMP_SYS(restart_syscall),  // the same, after a stop
    SCMP_SYS(clock_gettime),    // where the vDSO cannot answer
    SCMP_SYS(timer_settime),    // the deadline
    SCMP_SYS(rt_sigreturn),     // return from its signal
    SCMP_SYS(getrandom),        // randomness for the guest
    SCMP_SYS(madvise),          // giving touched pages back
    SCMP_SYS(exit_group),
};

struct Request {
  int fd;
  unsigned long number;
};
// The machine and its processor exist: no other can be made, and no memory be added.
constexpr Request kRequests[] = {
    {kVcpuFd, KVM_RUN},           {kVcpuFd, KVM_GET_REGS},  // where the guest stood when it failed
    {kVcpuFd, KVM_GET_SREGS},  // the same; and whether they have to be written
    {kVcpuFd, KVM_SET_REGS},   // from here on: the reset
    {kVcpuFd, KVM_SET_SREGS},     {kVcpuFd, KVM_SET_XCRS},        {kVcpuFd, kSetXsave},
    {kVcpuFd, KVM_SET_DEBUGREGS}, {kVcpuFd, KVM_SET_VCPU_EVENTS}, {kVcpuFd, kSetMsrs},
    {kVmFd, KVM_GET_DIRTY_LOG},   {kVmFd, KVM_CLEAR_DIRTY_LOG},
};

bool build(scmp_filter_ctx filter) noexcept {
  for (const int call : kAllowed) {
    if (::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0) return false;
  }
  for (const Request& request : kRequests) {
    const scmp_arg_cmp fd{.arg = 0,
                          .op = SCMP_CMP_EQ,
                          .datum_a = static_cast<scmp_datum_t>(request.fd),
                          .datum_b = 0};
    const scmp_arg_cmp number{.arg = 1, .op = SCMP_CMP_EQ, .datum_a = request.number, .datum_b = 0};
    if (::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 2, fd, number) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<sock_filter> make_vmm_filter() {
  const worker::FilterContext filter = worker::new_filter();
  if (filter == nullptr || !build(filter.get())) return {};
  return worker::program_of(filter);
}

}  // namespace plimsoll::microvm
