// What a call trace has that costs more calls than it must. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/route.h"
#include "plimsoll/advice.h"
#include "plimsoll/call_trace.h"

namespace plimsoll::advisor {

inline constexpr std::uint64_t kFanOutCalls = 5;
inline constexpr std::uint64_t kRepeatedReadCalls = 3;

// The calls of one route that were too many. `route` points into the list that was given: of the
// trace itself nothing but numbers is kept.
struct Waste {
  const Route* route = nullptr;
  AdvicePattern pattern = AdvicePattern::kFanOut;
  std::uint64_t calls = 0;     // delivered and 2xx
  std::uint64_t failed = 0;    // all others; no records
  std::uint64_t added_us = 0;  // round trips of `calls`, without the longest
  std::uint64_t bytes = 0;     // bodies of `calls`, both ways
};

// In the order of `routes`. Rows whose method and route are none of `routes` are skipped: a trace
// is data, and its text goes nowhere. Sums saturate.
[[nodiscard]] std::vector<Waste> detect(const CallTrace& trace, const std::vector<Route>& routes);

}  // namespace plimsoll::advisor
