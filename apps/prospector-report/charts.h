// Where the bars of a chart stand, in the units of its viewBox. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tally.h"

namespace plimsoll::prospector {

// "code", "operator", "unknown": the classes of the style sheet.
[[nodiscard]] std::string_view to_string(FindingClass kind) noexcept;

struct Bar {
  FindingClass kind = FindingClass::kCode;
  double x = 0;
  double y = 0;
  double w = 0;
  double h = 0;
};

// Extra calls of each day, stacked; 1000 wide, 100 high, the highest day at the top. Days stand
// where the calendar has them, unless they are more than 400 days apart: then side by side.
struct DayChart {
  std::vector<Bar> bars{};
  std::uint64_t top = 0;
};
[[nodiscard]] DayChart day_chart(const std::map<std::chrono::sys_days, Share>& days);

// One line of a bar chart: 1000 wide for `most` extra calls.
[[nodiscard]] std::vector<Bar> line_of(const Share& share, std::uint64_t most);

}  // namespace plimsoll::prospector
