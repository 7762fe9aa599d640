#include "microvm/deadline.h"

#include <signal.h>
#include <time.h>

#include <cerrno>
#include <csignal>

namespace plimsoll::microvm {

namespace {

// What a signal handler must reach; there is one machine a process, and one run at a time.
constinit timer_t g_timer{};
constinit volatile std::sig_atomic_t g_ticks = 0;
constinit volatile std::uint8_t* volatile g_leave_at_once = nullptr;

void on_tick(int) noexcept {
  if (g_ticks < 2) g_ticks = g_ticks + 1;
  if (g_leave_at_once != nullptr) *g_leave_at_once = 1;
}

void set_timer(std::chrono::nanoseconds first, std::chrono::nanoseconds next) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  itimerspec value{};
  value.it_value = {.tv_sec = first.count() / kSecond, .tv_nsec = first.count() % kSecond};
  value.it_interval = {.tv_sec = next.count() / kSecond, .tv_nsec = next.count() % kSecond};
  // Only wrong arguments make it fail, and a run without a deadline must not be.
  if (::timer_settime(g_timer, 0, &value, nullptr) != 0) __builtin_trap();
}

}  // namespace

int prepare_deadline() noexcept {
  struct sigaction action{};
  action.sa_handler = on_tick;
  if (::sigaction(SIGALRM, &action, nullptr) != 0) return errno;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  return ::timer_create(CLOCK_MONOTONIC, &event, &g_timer) == 0 ? 0 : errno;
}

void arm_deadline(std::chrono::microseconds timeout,
                  volatile std::uint8_t& leave_at_once) noexcept {
  g_leave_at_once = &leave_at_once;
  set_timer(timeout.count() > 0 ? timeout : std::chrono::microseconds{1}, kHardStopGrace);
}

void disarm_deadline() noexcept {
  set_timer({}, {});
  g_ticks = 0;
  if (g_leave_at_once != nullptr) *g_leave_at_once = 0;
  g_leave_at_once = nullptr;
}

Deadline deadline() noexcept {
  const int ticks = g_ticks;
  return ticks == 0 ? Deadline::kAhead : ticks == 1 ? Deadline::kPassed : Deadline::kHardStop;
}

}  // namespace plimsoll::microvm
