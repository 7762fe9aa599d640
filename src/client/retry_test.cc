#include "client/retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/manual_clock.h"

namespace plimsoll::client {
namespace {

// Every byte the same, or none at all.
class FixedEntropy final : public Entropy {
 public:
  explicit FixedEntropy(std::uint8_t byte) : byte_(byte) {}
  Result<void> fill(std::span<std::byte> bytes) override {
    std::ranges::fill(bytes, std::byte{byte_});
    return {};
  }

 private:
  std::uint8_t byte_;
};

ClientError error(ErrorCode code, std::optional<NotDispatchedReason> reason,
                  std::optional<Millis> retry_after = {}) {
  ClientError made;
  made.code = code;
  made.not_dispatched = reason;
  made.retry_after = retry_after;
  return made;
}

const ClientError kFull = error(ErrorCode::kCapacity, NotDispatchedReason::kCapacity);

// Answers with `errors` in their order, then with a success.
struct Bench {
  std::vector<ClientError> errors;
  ManualClock clock;
  FixedEntropy entropy{0xFF};
  std::size_t calls = 0;
  std::vector<Millis> waits;
  std::optional<Clock::Monotonic> deadline_seen;
  std::function<void()> while_waiting = [] {};

  ClientResult<RemoteOutcome> run(const RetryPolicy& policy, const CallOptions& options = {}) {
    return retry(
        [this](const CallOptions& call) -> ClientResult<RemoteOutcome> {
          deadline_seen = call.deadline;
          if (calls++ < errors.size()) return std::unexpected(errors[calls - 1]);
          return RemoteOutcome{};
        },
        policy, options,
        {.clock = clock,
         .entropy = entropy,
         .wait = [this](Clock::Monotonic until, const std::stop_token&) {
           waits.push_back(std::chrono::duration_cast<Millis>(until - clock.now()));
           clock.advance(until - clock.now());
           while_waiting();
         }});
  }
};

TEST(Retry, OnlyWhatProvablyDidNotRunAndPasses) {
  using enum NotDispatchedReason;
  EXPECT_TRUE(may_retry(kFull));
  EXPECT_TRUE(may_retry(error(ErrorCode::kUnreachable, kEnvironment)));
  for (const ClientError& never :
       {error(ErrorCode::kCapacity, std::nullopt), error(ErrorCode::kUnreachable, std::nullopt),
        error(ErrorCode::kInfrastructure, std::nullopt),
        error(ErrorCode::kInfrastructure, kEnvironment),
        error(ErrorCode::kInvalidRequest, kRequest), error(ErrorCode::kPermission, kPermission),
        error(ErrorCode::kIsolation, kIsolation), error(ErrorCode::kNotReady, kEnvironment),
        error(ErrorCode::kCanceled, kEnvironment), error(ErrorCode::kRecordMismatch, std::nullopt),
        error(ErrorCode::kEvidenceMismatch, std::nullopt)}) {
    EXPECT_FALSE(may_retry(never)) << to_string(never.code);
    Bench bench{.errors = {never}};
    EXPECT_EQ(bench.run({}).error().code, never.code);
    EXPECT_EQ(bench.calls, 1U);
  }
}

TEST(Retry, UntilItSucceedsOrTheAttemptsAreUsedUp) {
  Bench bench{.errors = {kFull, kFull}};
  EXPECT_TRUE(bench.run({.attempts = 3}));
  EXPECT_EQ(bench.calls, 3U);
  Bench hopeless{.errors = {kFull, kFull, kFull, kFull}};
  EXPECT_EQ(hopeless.run({.attempts = 3}).error().code, ErrorCode::kCapacity);
  EXPECT_EQ(hopeless.calls, 3U);
}

TEST(Retry, WaitsDoubleUpToTheMost) {
  Bench bench{.errors = {5, kFull}};
  EXPECT_TRUE(bench.run({.attempts = 6, .first_backoff = Millis(50), .max_backoff = Millis(300)}));
  EXPECT_EQ(bench.waits,
            (std::vector<Millis>{Millis(50), Millis(100), Millis(200), Millis(300), Millis(300)}));
}

TEST(Retry, TheRandomPartIsHalf) {
  const RetryPolicy policy{.first_backoff = Millis(100), .max_backoff = Millis(1000)};
  EXPECT_EQ(backoff(policy, 1, 0), Millis(50));
  EXPECT_EQ(backoff(policy, 1, UINT32_MAX), Millis(100));
  EXPECT_EQ(backoff(policy, 1, UINT32_MAX / 2), Millis(75));
  EXPECT_EQ(backoff(policy, 100, UINT32_MAX), Millis(1000));
  EXPECT_EQ(backoff({.first_backoff = Millis(1), .max_backoff = Millis(1)}, 1, 0), Millis(0));
  EXPECT_EQ(
      backoff({.first_backoff = Millis(600'000), .max_backoff = Millis(600'000)}, 100, UINT32_MAX),
      Millis(600'000));
}

TEST(Retry, TheServicesWordIsTheLeast) {
  Bench bench{
      .errors = {error(ErrorCode::kCapacity, NotDispatchedReason::kCapacity, Millis(1500))}};
  EXPECT_TRUE(bench.run({}));
  EXPECT_EQ(bench.waits, std::vector<Millis>{Millis(1500)});
}

TEST(Retry, AWaitThatIsTooLongIsNotWaited) {
  const ClientError later =
      error(ErrorCode::kCapacity, NotDispatchedReason::kCapacity, Millis(2001));
  Bench bench{.errors = {later}};
  EXPECT_EQ(bench.run({}).error().retry_after, Millis(2001));
  EXPECT_TRUE(bench.waits.empty());
}

TEST(Retry, TheDeadlineBoundsAllAttempts) {
  Bench bench{.errors = {10, kFull}};
  const auto deadline = bench.clock.now() + Millis(160);
  EXPECT_EQ(bench.run({.attempts = 10, .deadline = deadline}).error().code, ErrorCode::kCapacity);
  EXPECT_EQ(bench.calls, 3U);  // at 0, 50 and 150 ms
  EXPECT_EQ(bench.deadline_seen, deadline);
  Bench nearer;
  EXPECT_TRUE(nearer.run({.deadline = deadline}, {.deadline = deadline - Millis(1)}));
  EXPECT_EQ(nearer.deadline_seen, deadline - Millis(1));
}

TEST(Retry, AStopEndsTheWait) {
  Bench bench{.errors = {kFull}};
  std::stop_source stop;
  bench.while_waiting = [&] { stop.request_stop(); };
  const auto result = bench.run({}, {.cancel = stop.get_token()});
  EXPECT_EQ(result.error().code, ErrorCode::kCanceled);
  EXPECT_TRUE(result.error().not_dispatched);
  EXPECT_EQ(bench.calls, 1U);
}

TEST(Retry, APolicyOutOfRangeCallsNobody) {
  for (const RetryPolicy& policy :
       {RetryPolicy{.attempts = 0}, RetryPolicy{.attempts = 101},
        RetryPolicy{.first_backoff = Millis(0)},
        RetryPolicy{.first_backoff = Millis(10), .max_backoff = Millis(9)},
        RetryPolicy{.max_backoff = Millis(600'001)}}) {
    Bench bench;
    EXPECT_EQ(bench.run(policy).error().code, ErrorCode::kInvalidRequest);
    EXPECT_EQ(bench.calls, 0U);
  }
}

}  // namespace
}  // namespace plimsoll::client
