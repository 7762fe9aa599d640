// What the advisor finds in a run's call trace: where its code cost an API more calls than the
// question needed. Evidence, never authority: it is computed after the run and changes nothing.
//
// Every text in here is made of the grant's own route templates and of numbers. Nothing that a
// guest or an API said is in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll {

// Findings of one run at most, those with the most extra calls first.
inline constexpr std::size_t kMaxAdviceFindings = 32;

// Who gets to see what is found.
enum class Advice : std::uint8_t {
  kOff,       // nothing is looked for
  kOperator,  // audit lines and metrics; nothing on the result
  kCaller,    // as kOperator; and on the result what the code itself can mend
};

// How much of it reaches the audit line.
enum class AdviceRetention : std::uint8_t {
  kNone,
  kAggregate,  // sums
  kDetailed,   // each finding, with its routes
};

// What was seen.
enum class AdvicePattern : std::uint8_t {
  kFanOut,        // one route with a wildcard, called for item after item
  kRepeatedRead,  // one route without wildcards and query, read again and again
};

// By extra calls: fewer than 10, fewer than 50, more.
enum class AdviceSeverity : std::uint8_t { kLow, kMedium, kHigh };

// What can be done, and by whom.
enum class AdviceRemedy : std::uint8_t {
  kUseGrantedRoute,  // the code can: suggested_* is granted and may return the items together
  kReuseAnswer,      // the code can: keep the first answer
  kGrantRoute,       // the operator can: grant_route is the line to add
  kAskApiOwner,      // no route is known; advisor::prompt() asks whoever owns the API
  kNone,             // of writes: counted, and no other route is ever suggested
};

// "fan_out", "repeated_read"; "low", "medium", "high"; "use_granted_route", "reuse_answer",
// "grant_route", "ask_api_owner", "none".
[[nodiscard]] std::string_view to_string(AdvicePattern pattern) noexcept;
[[nodiscard]] std::string_view to_string(AdviceSeverity severity) noexcept;
[[nodiscard]] std::string_view to_string(AdviceRemedy remedy) noexcept;

// About the calls of one route. The numbers are of its successful calls: delivered, 2xx.
struct AdviceFinding {
  AdvicePattern pattern = AdvicePattern::kFanOut;
  AdviceSeverity severity = AdviceSeverity::kLow;
  AdviceRemedy remedy = AdviceRemedy::kNone;
  std::string method{};            // of the route, "GET"
  std::string route{};             // its template, "/v1/orders/*"
  std::string detail{};            // one or two sentences, ASCII
  std::string suggested_method{};  // of kUseGrantedRoute, else empty
  std::string suggested_route{};
  std::string grant_route{};          // of kGrantRoute, "GET /v1/orders"; for the operator only
  std::int32_t extra_calls = 0;       // beyond one
  std::int64_t added_latency_ms = 0;  // their round trips, added up; the longest one is left out
  std::int64_t bytes_moved = 0;       // bodies of all these calls, both ways
  bool at_least = false;              // the trace had no room for all calls: there were more

  // Whether the code can mend it with what it was granted.
  [[nodiscard]] bool is_for_caller() const noexcept {
    return remedy == AdviceRemedy::kUseGrantedRoute || remedy == AdviceRemedy::kReuseAnswer;
  }
};

}  // namespace plimsoll
