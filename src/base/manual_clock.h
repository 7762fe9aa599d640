// A clock that a test moves. For tests only.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace plimsoll {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Monotonic now() const override {
    return Monotonic(std::chrono::hours(1000)) + std::chrono::nanoseconds(passed_.load());
  }
  [[nodiscard]] Wall wall_now() const override {
    return Wall(std::chrono::seconds(1'700'000'000)) + std::chrono::nanoseconds(passed_.load());
  }
  void advance(std::chrono::nanoseconds by) { passed_ += by.count(); }

 private:
  std::atomic<std::int64_t> passed_ = 0;
};

}  // namespace plimsoll
