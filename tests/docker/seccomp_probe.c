// Tries system calls with arguments that do no harm, and prints the number of the error of each:
// "NAME ERRNO" a line, 0 for none. Static, so that it needs nothing in its container.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static void report(const char* name, long result) {
  printf("%s %d\n", name, result < 0 ? errno : 0);
  fflush(stdout);
}

#define TRY(name, ...) report(#name, syscall(SYS_##name, __VA_ARGS__))
#define TRY_AS(label, name, ...) report(label, syscall(SYS_##name, __VA_ARGS__))

// A namespace flag of clone: in a child of its own, since it may succeed.
static void try_clone(const char* label, unsigned long flag) {
  const long child = syscall(SYS_clone, flag | SIGCHLD, 0L, 0L, 0L, 0L);
  if (child == 0) _exit(0);
  report(label, child);
  if (child > 0) waitpid((pid_t)child, NULL, 0);
}

static int call_of_another_architecture(void) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");  // getpid of i386
  printf("i386 %ld\n", result > 0 ? 0L : -result);
#endif
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "i386") == 0) return call_of_another_architecture();
  const long bad = -1;
  char none[] = "/nonexistent";
  // Debugging and other processes' memory.
  TRY(ptrace, 0x4206L, bad, 0L, 0L);
  TRY(process_vm_readv, bad, 0L, 0L, 0L, 0L, 0L);
  TRY(process_vm_writev, bad, 0L, 0L, 0L, 0L, 0L);
  TRY(kcmp, bad, bad, 0L, 0L, 0L);
  TRY(pidfd_getfd, bad, 0L, 0L);
  TRY(process_madvise, bad, 0L, 0L, 0L, 0L);
  TRY(perf_event_open, 0L, 0L, bad, bad, 0L);
  // Large interfaces of the kernel.
  TRY(io_uring_setup, 1L, 0L);
  TRY(io_uring_enter, bad, 0L, 0L, 0L, 0L, 0L);
  TRY(io_uring_register, bad, 0L, 0L, 0L);
  TRY(bpf, 9999L, 0L, 0L);
  TRY(userfaultfd, 0xffffL);
  TRY(fanotify_init, 0xffffffL, 0L);
  TRY(seccomp, 99L, 0L, 0L);
  TRY(vmsplice, bad, 0L, 1L, 0L);
  TRY(memfd_create, 0L, 0L);
  TRY(memfd_secret, 0xffffL);
  TRY(modify_ldt, 99L, 0L, 0L);
  // Keys, messages and memory that outlive a process.
  TRY(keyctl, 99L, 0L, 0L, 0L, 0L);
  TRY(add_key, 0L, 0L, 0L, 0L, 0L);
  TRY(request_key, 0L, 0L, 0L, 0L);
  TRY(shmget, 1L, 0L, 0L);
  TRY(semget, 1L, 0L, 0L);
  TRY(msgget, 1L, 0L);
  TRY(mq_open, 0L, 0L, 0L, 0L);
  // Mounts, roots and namespaces.
  TRY(mount, none, none, none, 0L, 0L);
  TRY(umount2, none, 0L);
  TRY(pivot_root, none, none);
  TRY(chroot, none);
  TRY(open_tree, bad, none, 0L);
  TRY(move_mount, bad, none, bad, none, 0L);
  TRY(fsopen, 0L, 0L);
  TRY(fsconfig, bad, 0L, 0L, 0L, 0L);
  TRY(fsmount, bad, 0L, 0L);
  TRY(fspick, bad, none, 0L);
  TRY(mount_setattr, bad, none, 0L, 0L, 0L);
  TRY(setns, bad, 0L);
  TRY(unshare, 0x10000000L);
  try_clone("clone_newuser", 0x10000000UL);
  try_clone("clone_newns", 0x00020000UL);
  try_clone("clone_newnet", 0x40000000UL);
  try_clone("clone_newpid", 0x20000000UL);
  try_clone("clone_newcgroup", 0x02000000UL);
  TRY(open_by_handle_at, bad, 0L, 0L);
  TRY(name_to_handle_at, bad, 0L, 0L, 0L, 0L);
  TRY(setxattr, none, "user.a", "", 0L, 0L);
  // The machine.
  TRY(init_module, 0L, 0L, 0L);
  TRY(finit_module, bad, 0L, 0L);
  TRY(delete_module, 0L, 0L);
  TRY(kexec_load, 0L, 99L, 0L, 0L);
  TRY(reboot, 0L, 0L, 0L, 0L);
  TRY(swapon, 0L, 0L);
  TRY(swapoff, 0L);
  TRY(acct, none);
  TRY(quotactl, 0L, 0L, 0L, 0L);
  TRY(syslog, 99L, 0L, 0L);
  TRY(sethostname, 0L, 99999L);
  TRY(setdomainname, 0L, 99999L);
  TRY(settimeofday, 0L, 1L);
  TRY(clock_settime, 99L, 0L);
  TRY(adjtimex, 0L);
  TRY(personality, 0xffffffffL);
#ifdef SYS_iopl
  TRY(iopl, 99L);
  TRY(ioperm, 99999999L, 1L, 1L);
#endif
  TRY(mbind, 0L, 0L, 99L, 0L, 0L, 0L);
  TRY(move_pages, bad, 0L, 0L, 0L, 0L, 0L);
  TRY(migrate_pages, bad, 0L, 0L, 0L);
  TRY(set_mempolicy, 99L, 0L, 0L);
  // Kinds of socket with large or privileged code behind them.
  TRY_AS("socket_netlink", socket, 16L, 3L, 0L);
  TRY_AS("socket_packet", socket, 17L, 3L, 0L);
  TRY_AS("socket_alg", socket, 38L, 5L, 0L);
  TRY_AS("socket_vsock", socket, 40L, 1L, 0L);
  TRY_AS("socket_bluetooth", socket, 31L, 3L, 0L);
  // Answered as by a kernel without it.
  TRY(clone3, 0L, 0L);
  return 0;
}
