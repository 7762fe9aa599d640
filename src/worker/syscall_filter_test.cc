// The filter, attacked by a process that has just installed it: every system call there is.
#include "worker/syscall_filter.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "worker/filter_program.h"

namespace plimsoll::worker {
namespace {

constexpr long kHighestCall = 600;  // a hundred beyond the last one that Linux 6.18 has
constexpr int kReturned = 7;        // the exit status of a child whose call came back

constexpr long kAllowed[] = {
    SYS_read,         SYS_write,           SYS_sendmsg,       SYS_pread64,
    SYS_madvise,      SYS_munmap,          SYS_brk,           SYS_timer_settime,
    SYS_rt_sigreturn, SYS_rt_sigaction,    SYS_clock_gettime, SYS_clock_nanosleep,
    SYS_ppoll,        SYS_restart_syscall, SYS_getrandom,     SYS_exit_group};
// Of those that are allowed with the right arguments only, this one's are right when they are zero.
constexpr long kWithoutArguments = SYS_mprotect;
// The kernel itself answers these since 6.11, before any filter, and only to its own trampoline.
constexpr long kUretprobe = 335;
constexpr long kUprobe = 336;

using Arguments = std::array<unsigned long, 6>;

// How a child ends that makes this call under the filter.
int status_of(long call, const Arguments& a = {}) {
  static const std::vector<sock_filter> filter = make_syscall_filter();
  EXPECT_FALSE(filter.empty());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(1);
    if (install_syscall_filter(filter) != 0) ::_exit(2);
    (void)::syscall(call, a[0], a[1], a[2], a[3], a[4], a[5]);
    ::_exit(kReturned);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

::testing::AssertionResult killed(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wait status " << status;
}

::testing::AssertionResult returned(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kReturned) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wait status " << status;
}

TEST(SyscallFilter, EveryCallThatIsNotListedKills) {
  long tried = 0;
  for (long call = 0; call <= kHighestCall; ++call) {
    if (std::ranges::find(kAllowed, call) != std::end(kAllowed)) continue;
    if (call == kWithoutArguments || call == kUretprobe || call == kUprobe) continue;
    EXPECT_TRUE(killed(status_of(call))) << "system call " << call;
    ++tried;
  }
  EXPECT_EQ(tried, kHighestCall + 1 - static_cast<long>(std::size(kAllowed)) - 3);
}

TEST(SyscallFilter, WhatAWorkerNeedsReturns) {
  EXPECT_TRUE(returned(status_of(SYS_clock_gettime)));
  EXPECT_TRUE(returned(status_of(SYS_read, {999})));
  EXPECT_TRUE(returned(status_of(SYS_brk)));
  const timespec at_once{};
  EXPECT_TRUE(returned(status_of(SYS_ppoll, {0, 0, reinterpret_cast<unsigned long>(&at_once), 0})));
  EXPECT_TRUE(returned(
      status_of(SYS_mmap, {0, 4'096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS})));
  EXPECT_TRUE(returned(status_of(SYS_mprotect, {0, 0, PROT_READ | PROT_WRITE})));
}

TEST(SyscallFilter, MemoryIsNeverExecutableAndNeverAFile) {
  constexpr unsigned long kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  for (const int bits : {PROT_EXEC, PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC}) {
    const auto protection = static_cast<unsigned long>(bits);
    EXPECT_TRUE(killed(status_of(SYS_mmap, {0, 4'096, protection, kAnonymous})));
    EXPECT_TRUE(killed(status_of(SYS_mprotect, {0, 0, protection})));
  }
  for (const unsigned long flags :
       {0x01UL, 0x02UL, 0x12UL}) {  // shared, private, private and fixed
    EXPECT_TRUE(killed(status_of(SYS_mmap, {0, 4'096, PROT_READ, flags, 0})));
  }
}

TEST(SyscallFilter, TheOneRequestToADeviceIsTheScanOfItsOwnPages) {
  constexpr unsigned long kScan = 0xc060'6610;  // PAGEMAP_SCAN, _IOWR('f', 16, 96 bytes)
  constexpr unsigned long kTiocsti = 0x5412;
  EXPECT_TRUE(returned(status_of(SYS_ioctl, {4, kScan})));
  for (const unsigned long fd : {0UL, 1UL, 2UL, 3UL, 5UL, 0xffff'ffffUL}) {
    EXPECT_TRUE(killed(status_of(SYS_ioctl, {fd, kScan}))) << fd;
  }
  for (const unsigned long request : {0UL, kTiocsti, kScan + 1, kScan | 1UL << 32}) {
    EXPECT_TRUE(killed(status_of(SYS_ioctl, {4, request}))) << request;
  }
}

#if defined(__x86_64__)
TEST(SyscallFilter, OtherCallingConventionsKill) {
  constexpr long kX32 = 0x4000'0000;
  for (const long call : {SYS_read, SYS_write, SYS_getrandom, SYS_exit_group}) {
    EXPECT_TRUE(killed(status_of(kX32 | call))) << call;
  }
  EXPECT_EXIT(
      {
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(1);
        if (install_syscall_filter(make_syscall_filter()) != 0) ::_exit(2);
        long result = 20;  // getpid of the 32-bit table
        asm volatile("int $0x80" : "+a"(result) : : "memory");
        ::_exit(kReturned);
      },
      ::testing::KilledBySignal(SIGSYS), "");
}
#endif

TEST(SyscallFilter, AnEmptyFilterIsNotInstalled) { EXPECT_NE(install_syscall_filter({}), 0); }

}  // namespace
}  // namespace plimsoll::worker
