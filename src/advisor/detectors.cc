#include "advisor/detectors.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::advisor {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  return b > kMost - a ? kMost : a + b;
}

// All calls of one route.
struct Group {
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t us = 0;
  std::uint64_t longest_us = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first_size = 0;
  bool one_size = true;

  void add(const CallRow& row) {
    if (!row.delivered || row.status < 200 || row.status > 299) {
      ++failed;
      return;
    }
    if (calls == 0) first_size = row.response_bytes;
    one_size = one_size && row.response_bytes == first_size;
    ++calls;
    const auto took =
        row.latency.count() < 0 ? 0U : static_cast<std::uint64_t>(row.latency.count());
    us = plus(us, took);
    longest_us = std::max(longest_us, took);
    bytes = plus(bytes, plus(row.request_bytes, row.response_bytes));
  }
};

std::optional<AdvicePattern> pattern_of(const Route& route, const Group& group) {
  if (route.has_wildcard()) {
    if (group.calls >= kFanOutCalls) return AdvicePattern::kFanOut;
    return std::nullopt;
  }
  // With a query, calls of one template may ask for different things, such as pages: the trace
  // holds no values that would tell.
  const bool same_read = route.method() == "GET" && route.query_names().empty() && group.one_size;
  if (same_read && group.calls >= kRepeatedReadCalls) return AdvicePattern::kRepeatedRead;
  return std::nullopt;
}

}  // namespace

std::vector<Waste> detect(const CallTrace& trace, const std::vector<Route>& routes) {
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, Group> groups;
  for (const Route& route : routes) groups.try_emplace({route.method(), route.route_template()});
  for (const CallRow& row : trace.rows) {
    if (const auto at = groups.find({row.method, row.route}); at != groups.end()) {
      at->second.add(row);
    }
  }
  std::vector<Waste> found;
  for (const Route& route : routes) {
    const Group& group = groups.at({route.method(), route.route_template()});
    const auto pattern = pattern_of(route, group);
    if (!pattern) continue;
    found.push_back({.route = &route,
                     .pattern = *pattern,
                     .calls = group.calls,
                     .failed = group.failed,
                     .added_us = group.us - group.longest_us,
                     .bytes = group.bytes});
  }
  return found;
}

}  // namespace plimsoll::advisor
