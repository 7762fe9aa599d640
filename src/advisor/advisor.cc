#include "plimsoll/advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "advisor/detectors.h"
#include "advisor/router.h"
#include "broker/frozen_grant.h"

namespace plimsoll::advisor {
namespace {

template <class Number>
Number clamped(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  return static_cast<Number>(std::min(value, kMost));
}

AdviceSeverity severity_of(std::uint64_t extra_calls) {
  if (extra_calls < 10) return AdviceSeverity::kLow;
  return extra_calls < 50 ? AdviceSeverity::kMedium : AdviceSeverity::kHigh;
}

std::string line_of(const Route& route) {
  return fmt::format("{} {}", route.method(), route.route_template());
}

std::string what_to_do(const Way& way) {
  switch (way.remedy) {
    case AdviceRemedy::kUseGrantedRoute:
      return fmt::format(
          "{} is granted as well: one call of it may do, on the condition that it returns the same "
          "items.",
          line_of(*way.route));
    case AdviceRemedy::kReuseAnswer:
      return "Keep the first answer, on the condition that it does not change during the run.";
    case AdviceRemedy::kGrantRoute:
      return fmt::format(
          "The API has {}, which is not granted; one call of it may do, on the condition that it "
          "returns the same items.",
          line_of(*way.route));
    case AdviceRemedy::kAskApiOwner:
      return "No route is known that returns these items together.";
    case AdviceRemedy::kNone:
      break;
  }
  return "It writes, so no other route is suggested.";
}

std::string detail_of(const Waste& waste, const Way& way, bool at_least) {
  std::string text = fmt::format("{} was called {}{} times with success", line_of(*waste.route),
                                 at_least ? "at least " : "", waste.calls);
  text += waste.pattern == AdvicePattern::kFanOut ? ", item by item"
                                                  : ", and each answer had the same size";
  if (waste.failed != 0) {
    text += fmt::format("; {} more {} failed", waste.failed, waste.failed == 1 ? "call" : "calls");
  }
  return text + ". " + what_to_do(way);
}

AdviceFinding finding_of(const Waste& waste, const Way& way, bool at_least) {
  AdviceFinding finding{.pattern = waste.pattern,
                        .severity = severity_of(waste.calls - 1),
                        .remedy = way.remedy,
                        .method = std::string(waste.route->method()),
                        .route = waste.route->route_template(),
                        .detail = detail_of(waste, way, at_least),
                        .extra_calls = clamped<std::int32_t>(waste.calls - 1),
                        .added_latency_ms = clamped<std::int64_t>(waste.added_us / 1000),
                        .bytes_moved = clamped<std::int64_t>(waste.bytes),
                        .at_least = at_least};
  if (way.remedy == AdviceRemedy::kUseGrantedRoute) {
    finding.suggested_method = way.route->method();
    finding.suggested_route = way.route->route_template();
  } else if (way.remedy == AdviceRemedy::kGrantRoute) {
    finding.grant_route = line_of(*way.route);
  }
  return finding;
}

// A total order: the same trace gives the same bytes.
bool before(const AdviceFinding& a, const AdviceFinding& b) {
  return std::tie(b.extra_calls, a.method, a.route) < std::tie(a.extra_calls, b.method, b.route);
}

}  // namespace

std::vector<AdviceFinding> advise(const CallTrace& trace, const Grant& grant) {
  const std::vector<Route>& allow = grant.frozen().allow.routes();
  const std::vector<Route>& catalog = grant.frozen().catalog.routes();
  std::vector<AdviceFinding> findings;
  for (const Waste& waste : detect(trace, allow)) {
    findings.push_back(finding_of(waste, way_out(waste, allow, catalog), trace.dropped != 0));
  }
  std::ranges::sort(findings, before);
  if (findings.size() > kMaxAdviceFindings) findings.resize(kMaxAdviceFindings);
  return findings;
}

std::vector<AdviceFinding> for_caller(const std::vector<AdviceFinding>& findings) {
  std::vector<AdviceFinding> own;
  std::ranges::copy_if(findings, std::back_inserter(own), &AdviceFinding::is_for_caller);
  return own;
}

}  // namespace plimsoll::advisor
