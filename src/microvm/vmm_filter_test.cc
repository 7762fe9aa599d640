// The monitor's filter, attacked by a process that has just installed it: every system call, and
// every request to the descriptors that it keeps.
#include "microvm/vmm_filter.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "microvm/kvm_abi.h"
#include "worker/filter_program.h"

namespace plimsoll::microvm {
namespace {

constexpr long kHighestCall = 600;
constexpr int kReturned = 7;

// How a child ends that installs the filter and makes the call with these arguments.
int status_of(long number, long a = 0, long b = 0) {
  static const auto filter = make_vmm_filter();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(2);
    if (worker::install_syscall_filter(filter) != 0) ::_exit(2);
    (void)::syscall(number, a, b, 0, 0, 0, 0);
    (void)::syscall(SYS_exit_group, kReturned);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

bool killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS; }
bool returned(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == kReturned; }

constexpr long kAllowed[] = {SYS_read,
                             SYS_sendmsg,
                             SYS_ppoll,
                             SYS_clock_nanosleep,
                             SYS_restart_syscall,
                             SYS_clock_gettime,
                             SYS_timer_settime,
                             SYS_rt_sigreturn,
                             SYS_getrandom,
                             SYS_madvise,
                             SYS_exit_group};
// The kernel answers this before any filter.
constexpr long kUprobe = 335;
constexpr long kUretprobe = 336;

TEST(VmmFilter, EveryOtherSystemCallKills) {
  for (long number = 0; number <= kHighestCall; ++number) {
    if (std::ranges::find(kAllowed, number) != std::end(kAllowed)) continue;
    if (number == kUprobe || number == kUretprobe) continue;
    EXPECT_TRUE(killed(status_of(number))) << number;
  }
}

TEST(VmmFilter, WhatARunTakesIsAllowed) {
  for (const long number : {SYS_clock_gettime, SYS_timer_settime, SYS_getrandom, SYS_madvise}) {
    EXPECT_TRUE(returned(status_of(number))) << number;
  }
  for (const unsigned long request : {static_cast<unsigned long>(KVM_RUN), kSetXsave, kSetMsrs}) {
    EXPECT_TRUE(returned(status_of(SYS_ioctl, kVcpuFd, static_cast<long>(request)))) << request;
  }
  EXPECT_TRUE(returned(status_of(SYS_ioctl, kVmFd, static_cast<long>(KVM_GET_DIRTY_LOG))));
}

TEST(VmmFilter, NoOtherRequestReachesKvm) {
  const unsigned long kForbidden[] = {KVM_CREATE_VM,
                                      KVM_CREATE_VCPU,
                                      KVM_SET_USER_MEMORY_REGION,
                                      KVM_CREATE_IRQCHIP,
                                      KVM_CREATE_DEVICE,
                                      KVM_ENABLE_CAP,
                                      KVM_IRQFD,
                                      KVM_IOEVENTFD,
                                      KVM_SET_GUEST_DEBUG,
                                      KVM_SET_NESTED_STATE,
                                      kSetCpuid,
                                      kGetStatsFd};
  for (const unsigned long request : kForbidden) {
    for (const int fd : {0, 3, kVmFd, kVcpuFd, kStatisticsFd}) {
      EXPECT_TRUE(killed(status_of(SYS_ioctl, fd, static_cast<long>(request)))) << request;
    }
  }
  // What is right for the one is not for the other.
  EXPECT_TRUE(killed(status_of(SYS_ioctl, kVmFd, static_cast<long>(KVM_RUN))));
  EXPECT_TRUE(killed(status_of(SYS_ioctl, kVcpuFd, static_cast<long>(KVM_GET_DIRTY_LOG))));
}

}  // namespace
}  // namespace plimsoll::microvm
