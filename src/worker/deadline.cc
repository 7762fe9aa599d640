#include "worker/deadline.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <cerrno>
#include <csignal>

#include "engine/guest_thread.h"
#include "engine/instance.h"

namespace plimsoll::worker {

namespace {

constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10;

// What a signal handler must reach; a worker has one thread and one run at a time.
constinit timer_t g_timer{};
constinit volatile std::sig_atomic_t g_passed = 0;

void on_deadline(int, siginfo_t*, void*) noexcept {
  engine::GuestThread& thread = engine::guest_thread();
  if (g_passed == 0) {
    g_passed = 1;
    return;
  }
  thread.hard_stop = 1;
  if (thread.in_guest != 0) engine::trap(engine::Trap::kDeadline);
}

// Only faults of guest code, at addresses of the guest's, are the guest's. Any other is a bug of
// ours or an attack, and the process dies of it.
void on_fault(int signal, siginfo_t* info, void*) noexcept {
  engine::GuestThread& thread = engine::guest_thread();
  if (thread.in_guest != 0 && thread.instance != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (thread.instance->memory().contains(address)) {
      engine::trap(thread.hard_stop != 0 ? engine::Trap::kDeadline : engine::Trap::kOutOfBounds);
    }
    if (address >= thread.stack_low && address < thread.stack_high) {
      engine::trap(engine::Trap::kStackExhausted);
    }
  }
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  (void)::sigaction(signal, &action, nullptr);
}

int handle(int signal, void (*handler)(int, siginfo_t*, void*)) noexcept {
  struct sigaction action{};
  action.sa_sigaction = handler;
  // NODEFER: the handler may leave by a jump, which restores no signal mask.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  return ::sigaction(signal, &action, nullptr) == 0 ? 0 : errno;
}

itimerspec timer_value(std::chrono::nanoseconds first, std::chrono::nanoseconds next) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  itimerspec value{};
  value.it_value = {.tv_sec = first.count() / kSecond, .tv_nsec = first.count() % kSecond};
  value.it_interval = {.tv_sec = next.count() / kSecond, .tv_nsec = next.count() % kSecond};
  return value;
}

}  // namespace

int prepare_deadline_and_faults() noexcept {
  void* stack = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return errno;
  const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = kSignalStackBytes};
  if (::sigaltstack(&alternate, nullptr) != 0) return errno;
  if (const int error = handle(SIGSEGV, on_fault); error != 0) return error;
  if (const int error = handle(SIGBUS, on_fault); error != 0) return error;
  if (const int error = handle(SIGALRM, on_deadline); error != 0) return error;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  return ::timer_create(CLOCK_MONOTONIC, &event, &g_timer) == 0 ? 0 : errno;
}

void arm_deadline(std::chrono::microseconds timeout) noexcept {
  const std::chrono::nanoseconds first =
      timeout.count() > 0 ? timeout : std::chrono::microseconds{1};
  const itimerspec value = timer_value(first, kHardStopGrace);
  // Only wrong arguments make it fail, and a run without a deadline must not be.
  if (::timer_settime(g_timer, 0, &value, nullptr) != 0) __builtin_trap();
}

void disarm_deadline() noexcept {
  const itimerspec value{};
  if (::timer_settime(g_timer, 0, &value, nullptr) != 0) __builtin_trap();
  g_passed = 0;
  engine::guest_thread().hard_stop = 0;
}

bool deadline_passed() noexcept { return g_passed != 0; }

}  // namespace plimsoll::worker
