#include "admission/token_bucket.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kMillisecondNs = 1'000'000;

}  // namespace

// No overflow: burst is at most 2^32, and a minute in nanoseconds less than 2^36; the product is
// cut.
TokenBucket::TokenBucket(const Rate& rate, Time now) noexcept
    : cost_(rate.per_minute == 0 ? 0 : std::max<std::int64_t>(1, kMinuteNs / rate.per_minute)),
      capacity_(std::min<std::int64_t>(std::int64_t{rate.burst}, std::int64_t{1} << 24) * cost_),
      held_(capacity_),
      filled_at_(now) {}

void TokenBucket::fill(Time now) noexcept {
  if (now <= filled_at_) return;
  const auto passed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - filled_at_).count();
  held_ = passed >= capacity_ - held_ ? capacity_ : held_ + passed;
  filled_at_ = now;
}

Millis TokenBucket::charge(Time now) noexcept {
  if (cost_ == 0) return Millis{0};
  fill(now);
  const bool allowed = held_ >= cost_;
  held_ = std::max(held_ - cost_, -capacity_);
  if (allowed) return Millis{0};
  return Millis{(cost_ - held_ + kMillisecondNs - 1) / kMillisecondNs};
}

bool TokenBucket::full(Time now) noexcept {
  fill(now);
  return held_ == capacity_;
}

}  // namespace plimsoll
