#include "charts.h"

#include <algorithm>
#include <array>

namespace plimsoll::prospector {
namespace {

constexpr double kWide = 1000;
constexpr double kHigh = 100;
constexpr std::int64_t kMostDaysApart = 400;
constexpr std::array kOrder = {FindingClass::kCode, FindingClass::kOperator,
                               FindingClass::kUnknown};

double extra_of(const Share& share, FindingClass kind) {
  return static_cast<double>(share.by_class.at(static_cast<std::size_t>(kind)).extra_calls);
}

}  // namespace

std::string_view to_string(FindingClass kind) noexcept {
  switch (kind) {
    case FindingClass::kCode:
      return "code";
    case FindingClass::kOperator:
      return "operator";
    case FindingClass::kUnknown:
      break;
  }
  return "unknown";
}

DayChart day_chart(const std::map<std::chrono::sys_days, Share>& days) {
  DayChart chart;
  if (days.empty()) return chart;
  for (const auto& [day, share] : days) chart.top = std::max(chart.top, share.all().extra_calls);
  if (chart.top == 0) return chart;
  const auto first = days.begin()->first;
  const std::int64_t apart = (days.rbegin()->first - first).count() + 1;
  const bool calendar = apart <= kMostDaysApart;
  const double step = kWide / static_cast<double>(calendar ? apart : std::ssize(days));
  std::int64_t index = 0;
  for (const auto& [day, share] : days) {
    const std::int64_t place = calendar ? (day - first).count() : index;
    ++index;
    double base = kHigh;
    for (const FindingClass kind : kOrder) {
      const double h = extra_of(share, kind) / static_cast<double>(chart.top) * kHigh;
      if (h <= 0) continue;
      base -= h;
      chart.bars.push_back({.kind = kind,
                            .x = static_cast<double>(place) * step + step * 0.08,
                            .y = std::max(base, 0.0),
                            .w = step * 0.84,
                            .h = h});
    }
  }
  return chart;
}

std::vector<Bar> line_of(const Share& share, std::uint64_t most) {
  std::vector<Bar> bars;
  if (most == 0) return bars;
  double x = 0;
  for (const FindingClass kind : kOrder) {
    const double w = extra_of(share, kind) / static_cast<double>(most) * kWide;
    if (w <= 0) continue;
    bars.push_back({.kind = kind, .x = x, .y = 0, .w = w, .h = 10});
    x += w;
  }
  return bars;
}

}  // namespace plimsoll::prospector
