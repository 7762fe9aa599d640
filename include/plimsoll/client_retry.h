// Tries again what is safe to try again, and nothing else.
#pragma once

#include <chrono>
#include <optional>

#include "plimsoll/client.h"

namespace plimsoll {

// How often, and for how long.
struct RetryPolicy {
  unsigned attempts = 4;      // the first one counts; 1 to 100
  Millis first_backoff{50};   // doubles with each attempt; 1 ms to max_backoff
  Millis max_backoff{2'000};  // 1 ms to 10 min; a longer retry_after ends the attempts
  // No attempt starts after this point in time, and none outlasts it.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

// client.run_javascript(), again as long as the error says that nothing ran (not_dispatched) and
// the cause passes: no capacity, no connection. The wait is at least the service's retry_after;
// otherwise a random part, at least half, of a doubling backoff, so that callers who were refused
// together do not come back together. A request on options.cancel ends the wait with kCanceled. The
// last error is returned. Errors of its own: kInvalidRequest for a policy out of range.
[[nodiscard]] ClientResult<RemoteOutcome> run_with_retry(Client& client, const RunRequest& request,
                                                         const RetryPolicy& policy = {},
                                                         const CallOptions& options = {});

}  // namespace plimsoll
