// What the provider-neutral suites share: a ready sandbox, short ways to ask, and a counter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/sandbox.h"
#include "providers/provider.h"
#include "providers_under_test.h"

namespace plimsoll::contract {

using Clock = std::chrono::steady_clock;

#ifdef PLIMSOLL_SANITIZED
inline constexpr int kSlowness = 10;  // of the host's own code; the guest's is not instrumented
#else
inline constexpr int kSlowness = 1;
#endif

// How long after a deadline the answer may come.
inline constexpr Millis kDeadlineGrace{60 * kSlowness};

[[nodiscard]] inline Millis since(Clock::time_point start) {
  return std::chrono::duration_cast<Millis>(Clock::now() - start);
}

[[nodiscard]] inline RunRequest request_of(std::string code, Millis timeout = Millis{0},
                                           std::string caller = {}) {
  return {.code = std::move(code), .timeout = timeout, .caller = std::move(caller)};
}

// Says where a long string differs instead of printing megabytes.
[[nodiscard]] inline ::testing::AssertionResult same_bytes(std::string_view actual,
                                                           std::string_view expected) {
  if (actual == expected) return ::testing::AssertionSuccess();
  std::size_t at = 0;
  while (at < actual.size() && at < expected.size() && actual[at] == expected[at]) ++at;
  const std::size_t from = at < 20 ? 0 : at - 20;
  return ::testing::AssertionFailure()
         << actual.size() << " bytes, expected " << expected.size() << "; first difference at "
         << at << ": " << ::testing::PrintToString(std::string(actual.substr(from, 60)))
         << " against " << ::testing::PrintToString(std::string(expected.substr(from, 60)));
}

// A cause and its exit code belong together, for any outcome at all.
inline void expect_consistent(const Outcome& outcome) {
  EXPECT_GE(outcome.exit_code, 0);
  EXPECT_LE(outcome.exit_code, 255);
  EXPECT_EQ(outcome.timed_out, outcome.termination.cause == TerminationCause::kTimedOut);
  switch (outcome.termination.cause) {
    case TerminationCause::kExited:
      break;
    case TerminationCause::kTimedOut:
      EXPECT_EQ(outcome.exit_code, kExitTimedOut);
      break;
    case TerminationCause::kOutOfMemory:
      EXPECT_EQ(outcome.exit_code, kExitOutOfMemory);
      break;
    case TerminationCause::kSignaled:
      EXPECT_GT(outcome.exit_code, 128);
      break;
    case TerminationCause::kOutputFlood:
      EXPECT_EQ(outcome.exit_code, kExitOutputFlood);
      EXPECT_TRUE(outcome.stdout_truncated);
      EXPECT_TRUE(outcome.stderr_truncated);
      break;
    case TerminationCause::kEngineFault:
      EXPECT_EQ(outcome.exit_code, kExitEngineFault);
      break;
  }
}

inline void expect_timed_out(const Outcome& outcome) {
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, kExitTimedOut);
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kTimedOut);
}

// Counts the runs that reach the provider behind it. Any thread.
class CountingProvider final : public Provider {
 public:
  explicit CountingProvider(std::unique_ptr<Provider> provider) : provider_(std::move(provider)) {}

  [[nodiscard]] int runs() const noexcept { return runs_; }

  [[nodiscard]] std::string_view id() const noexcept override { return provider_->id(); }
  [[nodiscard]] ProviderInfo info() const override { return provider_->info(); }
  [[nodiscard]] ProviderLimits limits() const noexcept override { return provider_->limits(); }
  [[nodiscard]] Result<void> ensure_ready() override { return provider_->ensure_ready(); }
  [[nodiscard]] Result<IsolationEvidence> current_evidence() override {
    return provider_->current_evidence();
  }
  [[nodiscard]] Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                    std::stop_token cancel) override {
    ++runs_;
    return provider_->run(run, broker, std::move(cancel));
  }

 private:
  std::unique_ptr<Provider> provider_;
  std::atomic<int> runs_{0};
};

class ProviderFixture : public ::testing::TestWithParam<ProviderUnderTest> {
 protected:
  void SetUp() override {
    if (const std::string lacks = GetParam().lacks(); !lacks.empty()) GTEST_SKIP() << lacks;
  }

  // A sandbox that passed ensure_ready(). Fails the test, and throws to end it, when there is none.
  [[nodiscard]] Sandbox ready(const Shape& shape = {}) const {
    auto sandbox = Sandbox::build(GetParam().config(shape));
    if (!sandbox) throw std::runtime_error("build: " + sandbox.error().message);
    if (auto ready = sandbox->ensure_ready(); !ready) {
      throw std::runtime_error("ensure_ready: " + ready.error().message);
    }
    return *std::move(sandbox);
  }

  // As many rounds as are worth their time; at least one.
  [[nodiscard]] static int rounds(int of_a_worker) {
    return std::max(1, of_a_worker / GetParam().weight);
  }

  // The outcome of a run that has to have one.
  [[nodiscard]] static Outcome outcome_of(Sandbox& sandbox, const RunRequest& request) {
    auto outcome = sandbox.run_javascript(request);
    if (!outcome) {
      throw std::runtime_error("run: " + std::string(to_string(outcome.error().code)) + ": " +
                               outcome.error().message);
    }
    expect_consistent(*outcome);
    return *std::move(outcome);
  }

  [[nodiscard]] static Outcome outcome_of(Sandbox& sandbox, std::string code,
                                          Millis timeout = Millis{0}) {
    return outcome_of(sandbox, request_of(std::move(code), timeout));
  }

  static void expect_prints(Sandbox& sandbox, std::string code, std::string_view expected) {
    const Outcome outcome = outcome_of(sandbox, std::move(code));
    EXPECT_TRUE(same_bytes(outcome.stdout_bytes, expected));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.stderr_bytes.substr(0, 2000);
  }

  // Runs code that never ends and checks that it is ended in time. A busy machine may delay
  // answers, so that the best of ten counts. What a provider needs to begin comes on top.
  static void expect_stopped_in_time(Sandbox& sandbox, const std::string& code, Millis timeout) {
    Millis best = Millis::max();
    const Millis grace = GetParam().start_time + kDeadlineGrace;
    for (int attempt = 0; attempt < 10 && best > timeout + grace; ++attempt) {
      const auto start = Clock::now();
      const Outcome outcome = outcome_of(sandbox, code, timeout);
      const Millis took = since(start);
      expect_timed_out(outcome);
      EXPECT_GE(took, timeout);
      EXPECT_LE(took, timeout + GetParam().start_time + Millis{20'000});
      EXPECT_LE(outcome.duration, took + Millis{1});
      best = std::min(best, took);
    }
    EXPECT_LE(best, timeout + grace);
  }
};

}  // namespace plimsoll::contract
