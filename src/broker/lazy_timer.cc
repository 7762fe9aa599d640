#include "broker/lazy_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace plimsoll {

using std::chrono::nanoseconds;

bool LazyTimer::open() {
  fd_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  return static_cast<bool>(fd_);
}

void LazyTimer::set(std::chrono::milliseconds from_now) {
  due_ = Clock::now() + from_now;
  if (!armed_ || *due_ < *armed_) arm(*due_);
}

bool LazyTimer::is_due() {
  std::uint64_t expirations = 0;
  if (::read(fd_.get(), &expirations, sizeof expirations) < 0) return false;  // set anew meanwhile
  armed_.reset();
  if (!due_) return false;
  if (Clock::now() < *due_) {
    arm(*due_);
    return false;
  }
  due_.reset();
  return true;
}

// steady_clock counts as CLOCK_MONOTONIC does.
void LazyTimer::arm(Clock::time_point when) {
  // Zero would disarm it.
  const auto at = std::max(nanoseconds(1), nanoseconds(when.time_since_epoch()));
  itimerspec spec{};
  spec.it_value.tv_sec = at.count() / 1'000'000'000;
  spec.it_value.tv_nsec = at.count() % 1'000'000'000;
  (void)::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  armed_ = when;
}

}  // namespace plimsoll
