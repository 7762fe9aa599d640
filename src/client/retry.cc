#include "client/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <span>
#include <utility>

#include "core/mistakes.h"

namespace plimsoll {
namespace client {
namespace {

constexpr unsigned kMaxAttempts = 100;
constexpr Millis kMaxBackoff{600'000};

std::optional<ClientError> objection(const RetryPolicy& policy) {
  Mistakes mistakes;
  if (policy.attempts < 1 || policy.attempts > kMaxAttempts) {
    mistakes.add(
        fmt::format("attempts is {}; 1 to {} are accepted", policy.attempts, kMaxAttempts));
  }
  if (policy.max_backoff < Millis(1) || policy.max_backoff > kMaxBackoff) {
    mistakes.add(fmt::format("max_backoff is {} ms; 1 to {} are accepted",
                             policy.max_backoff.count(), kMaxBackoff.count()));
  }
  if (policy.first_backoff < Millis(1) || policy.first_backoff > policy.max_backoff) {
    mistakes.add(fmt::format("first_backoff is {} ms; 1 to max_backoff are accepted",
                             policy.first_backoff.count()));
  }
  if (mistakes.none()) return std::nullopt;
  ClientError error;
  static_cast<Error&>(error) =
      mistakes.to_error(ErrorCode::kInvalidRequest, NotDispatchedReason::kRequest);
  return error;
}

// Without randomness the longest wait is taken: late is harmless, together is not.
std::uint32_t random_part(Entropy& entropy) {
  std::uint32_t random = 0;
  if (!entropy.fill(std::as_writable_bytes(std::span(&random, 1)))) return UINT32_MAX;
  return random;
}

}  // namespace

bool may_retry(const ClientError& error) noexcept {
  if (!error.not_dispatched) return false;
  return error.code == ErrorCode::kUnreachable ||
         error.not_dispatched == NotDispatchedReason::kCapacity;
}

Millis backoff(const RetryPolicy& policy, unsigned failed, std::uint32_t random) {
  Millis whole = policy.first_backoff;
  for (unsigned i = 1; i < failed && whole < policy.max_backoff; ++i) whole *= 2;
  whole = std::min(whole, policy.max_backoff);
  const std::int64_t half = whole.count() / 2;
  const std::int64_t rest = whole.count() - half;
  return Millis(half + (rest * static_cast<std::int64_t>(random) + UINT32_MAX / 2) / UINT32_MAX);
}

ClientResult<RemoteOutcome> retry(const Attempt& attempt, const RetryPolicy& policy,
                                  CallOptions options, const RetrySurroundings& surroundings) {
  if (auto refused = objection(policy)) return std::unexpected(*std::move(refused));
  if (policy.deadline && (!options.deadline || *policy.deadline < *options.deadline)) {
    options.deadline = policy.deadline;
  }
  for (unsigned failed = 1;; ++failed) {
    auto result = attempt(options);
    if (result || failed == policy.attempts || !may_retry(result.error())) return result;
    const Millis asked = result.error().retry_after.value_or(Millis(0));
    if (asked > policy.max_backoff) return result;
    const Millis wait = std::max(asked, backoff(policy, failed, random_part(surroundings.entropy)));
    const auto until = surroundings.clock.now() + wait;
    if (options.deadline && until >= *options.deadline) return result;
    surroundings.wait(until, options.cancel);
    if (options.cancel.stop_requested()) {
      ClientError canceled;
      canceled.code = ErrorCode::kCanceled;
      canceled.message = "canceled between two attempts";
      canceled.not_dispatched = result.error().not_dispatched;
      return std::unexpected(std::move(canceled));
    }
  }
}

}  // namespace client

ClientResult<RemoteOutcome> run_with_retry(Client& client, const RunRequest& request,
                                           const RetryPolicy& policy, const CallOptions& options) {
  const SystemClock clock;
  SystemEntropy entropy;
  const auto wait = [](Clock::Monotonic until, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, stop, until, [] { return false; });
  };
  return client::retry(
      [&](const CallOptions& call) { return client.run_javascript(request, call); }, policy,
      options, {.clock = clock, .entropy = entropy, .wait = wait});
}

}  // namespace plimsoll
