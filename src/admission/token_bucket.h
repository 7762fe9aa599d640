// The rate limit of one caller. Pure: the time is an argument.
#pragma once

#include <chrono>
#include <cstdint>

#include "plimsoll/request.h"

namespace plimsoll {

// How fast a bucket fills, and how much it holds.
struct Rate {
  std::uint32_t per_minute = 0;  // 0: no limit
  std::uint32_t burst = 0;       // at least 1 when there is a limit
};

// Full at first. Every attempt is charged, a refused one as well, so that whoever hammers stays
// out; but the debt is at most one burst, so that whoever stops is back in bounded time.
class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  TokenBucket(const Rate& rate, Time now) noexcept;

  // Charges one attempt. Zero: it is allowed. Else how long to wait until one would be, at least 1
  // ms.
  [[nodiscard]] Millis charge(Time now) noexcept;

  // A full bucket is like a new one, and need not be kept.
  [[nodiscard]] bool full(Time now) noexcept;

 private:
  void fill(Time now) noexcept;

  // In nanoseconds of filling: one attempt costs cost_, and at most capacity_ are held. Whole
  // numbers, so that nothing is lost however often it is asked.
  std::int64_t cost_;
  std::int64_t capacity_;
  std::int64_t held_;
  Time filled_at_;
};

}  // namespace plimsoll
