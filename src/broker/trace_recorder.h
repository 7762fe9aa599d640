// Keeps a run's trace within its bounds.
#pragma once

#include <utility>

#include "broker/route.h"
#include "plimsoll/call_trace.h"

namespace plimsoll {

// Takes the route, never the call's own target: what a row says of where a call went is what the
// operator wrote. Not for concurrent use.
class TraceRecorder {
 public:
  // What is known of an answered call besides its route.
  struct Answer {
    unsigned status = 0;
    bool delivered = false;
    std::size_t request_bytes = 0;
    std::size_t response_bytes = 0;
    std::chrono::microseconds latency{0};
  };

  void add(const Route& route, const Answer& answer) {
    if (trace_.rows.size() == kMaxTraceRows) {
      ++trace_.dropped;
      return;
    }
    trace_.rows.push_back({.method = std::string(route.method()),
                           .route = route.route_template(),
                           .status = answer.status,
                           .delivered = answer.delivered,
                           .request_bytes = answer.request_bytes,
                           .response_bytes = answer.response_bytes,
                           .latency = answer.latency});
  }
  void count_denied() noexcept { ++trace_.denied; }
  void count_shed() noexcept { ++trace_.shed; }
  void count_over_budget() noexcept { ++trace_.over_budget; }
  void count_credential_echo() noexcept { ++trace_.credential_echoes; }
  void set_breaker_openings(std::uint64_t count) noexcept { trace_.breaker_openings = count; }

  [[nodiscard]] const CallTrace& trace() const noexcept { return trace_; }

 private:
  CallTrace trace_;
};

}  // namespace plimsoll
