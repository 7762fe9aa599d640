// What a run asked of its API, in numbers and in the operator's own words. There is no field that
// could hold a path, a query, a body or a credential: a route stands here as the grant spells it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll {

// Rows that a trace keeps; further calls are counted as dropped.
inline constexpr std::size_t kMaxTraceRows = 256;

// One call that the grant permits and that was answered, in the order of the answers.
struct CallRow {
  std::string method{};    // of the route: "GET", "PUT", "POST", "DELETE", "PATCH"
  std::string route{};     // the grant's template, e.g. "/v1/orders/*?status"
  unsigned status = 0;     // what the guest was told; 0: the run ended before that
  bool delivered = false;  // true: it is the API's own answer; false: the broker's (413, 502, 504)
  std::uint64_t request_bytes = 0;   // of the body
  std::uint64_t response_bytes = 0;  // of the body that the guest got; 0 when nothing was delivered
  std::chrono::microseconds latency{0};  // from the guest's request to its answer
};

// Everything that one run asked for. denied, shed and dropped calls have no row.
struct CallTrace {
  std::vector<CallRow> rows{};          // at most kMaxTraceRows
  std::uint64_t dropped = 0;            // answered calls beyond those
  std::uint64_t denied = 0;             // not on the allow list
  std::uint64_t shed = 0;               // kept back while the API asked for a pause
  std::uint64_t over_budget = 0;        // beyond the budget, or too many at once
  std::uint64_t credential_echoes = 0;  // answers withheld because the credential stood in them
  std::uint64_t breaker_openings = 0;   // how often the API's 429 or 503 began a pause

  // Every call of the guest: rows and all of the counts above, but for the last two.
  [[nodiscard]] std::uint64_t calls() const noexcept {
    return rows.size() + dropped + denied + shed + over_budget;
  }
};

}  // namespace plimsoll
