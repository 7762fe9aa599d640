// A timer descriptor for someone who sets it again and again and seldom lets it end. Setting a
// timer is a system call with a reprogrammed clock behind it; remembering a later time is neither.
#pragma once

#include <chrono>
#include <optional>

#include "base/unique_fd.h"

namespace plimsoll {

// Not for several threads.
class LazyTimer {
 public:
  // False: no descriptor is to be had.
  [[nodiscard]] bool open();

  // Readable at the time that was set, or before it; never after. is_due() tells.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

  void set(std::chrono::milliseconds from_now);
  void clear() noexcept { due_.reset(); }

  // Call when fd() is readable. True once for each time that was set, when it has come.
  [[nodiscard]] bool is_due();

 private:
  using Clock = std::chrono::steady_clock;

  void arm(Clock::time_point when);

  UniqueFd fd_;
  std::optional<Clock::time_point> due_;
  std::optional<Clock::time_point> armed_;  // when the descriptor becomes readable
};

}  // namespace plimsoll
