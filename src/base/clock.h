// The seam for time: decisions take a Clock, so that a test can move it.
#pragma once

#include <chrono>

namespace plimsoll {

// Both clocks of the host. Implementations are safe for concurrent use.
class Clock {
 public:
  using Monotonic = std::chrono::steady_clock::time_point;
  using Wall = std::chrono::system_clock::time_point;

  virtual ~Clock() = default;
  // For durations and deadlines; never goes back.
  [[nodiscard]] virtual Monotonic now() const = 0;
  // For what people and logs read; may jump.
  [[nodiscard]] virtual Wall wall_now() const = 0;

 protected:
  Clock() = default;
  Clock(const Clock&) = default;
  Clock& operator=(const Clock&) = default;
};

// The host's own.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Monotonic now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] Wall wall_now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace plimsoll
