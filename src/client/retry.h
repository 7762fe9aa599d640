// When a call is made again, and after how long. The loop is pure: clock, randomness, waiting and
// the call itself are its caller's.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/entropy.h"
#include "plimsoll/client_retry.h"

namespace plimsoll::client {

struct RetrySurroundings {
  const Clock& clock;
  Entropy& entropy;
  // Waits until that time, or until a stop is requested.
  std::function<void(Clock::Monotonic until, const std::stop_token& stop)> wait;
};

using Attempt = std::function<ClientResult<RemoteOutcome>(const CallOptions&)>;

// Whether `error` proves that nothing ran, and is of a cause that passes.
[[nodiscard]] bool may_retry(const ClientError& error) noexcept;

// Between half and the whole of first_backoff doubled `failed` - 1 times, which is at most
// max_backoff. `random` is uniform.
[[nodiscard]] Millis backoff(const RetryPolicy& policy, unsigned failed, std::uint32_t random);

[[nodiscard]] ClientResult<RemoteOutcome> retry(const Attempt& attempt, const RetryPolicy& policy,
                                                CallOptions options,
                                                const RetrySurroundings& surroundings);

}  // namespace plimsoll::client
