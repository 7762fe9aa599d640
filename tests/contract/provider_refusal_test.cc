// What a provider does not run, and what it says then.
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "provider_fixture.h"
#include "sandbox/dispatch.h"

namespace plimsoll::contract {
namespace {

class ProviderRefusal : public ProviderFixture {};

INSTANTIATE_TEST_SUITE_P(Providers, ProviderRefusal, ::testing::ValuesIn(providers_under_test()),
                         provider_name);

void expect_refused(const Result<Outcome>& outcome, ErrorCode code, NotDispatchedReason reason) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, code) << outcome.error().message;
  EXPECT_EQ(outcome.error().not_dispatched, reason) << outcome.error().message;
  EXPECT_FALSE(outcome.error().message.empty());
}

Isolation stronger_than(Isolation tier) {
  return static_cast<Isolation>(static_cast<unsigned>(tier) + 1);
}

std::int64_t unix_ms_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST_P(ProviderRefusal, NothingRunsBeforeEnsureReady) {
  auto sandbox = Sandbox::build(GetParam().config({}));
  ASSERT_TRUE(sandbox);
  expect_refused(sandbox->run_javascript(request_of("console.log(1)")), ErrorCode::kNotReady,
                 NotDispatchedReason::kEnvironment);
}

TEST_P(ProviderRefusal, EnsureReadyShowsTheTierAndItsFacts) {
  auto sandbox = Sandbox::build(GetParam().config({}));
  ASSERT_TRUE(sandbox);
  for (int call = 0; call < 2; ++call) {  // it is idempotent
    const auto evidence = sandbox->ensure_ready();
    ASSERT_TRUE(evidence) << evidence.error().message;
    EXPECT_EQ(evidence->tier, GetParam().tier);
    ASSERT_FALSE(evidence->facts.empty());
    bool some_measured = false;
    for (const EvidenceFact& fact : evidence->facts) {
      EXPECT_FALSE(fact.name.empty());
      for (const char c : fact.name + fact.value) EXPECT_TRUE(c >= ' ' && c <= '~') << fact.name;
      EXPECT_LE(fact.observed_unix_ms, unix_ms_now()) << fact.name;
      EXPECT_GT(fact.observed_unix_ms, unix_ms_now() - 60'000) << fact.name;
      some_measured = some_measured || fact.basis == EvidenceBasis::kMeasured;
    }
    EXPECT_TRUE(some_measured);
  }
}

TEST_P(ProviderRefusal, EnsureReadyFailsBelowTheConfiguredMinimum) {
  if (GetParam().tier == Isolation::kVm) return;  // nothing is stronger
  SandboxConfig config = GetParam().config({});
  config.minimum_isolation = stronger_than(GetParam().tier);
  auto sandbox = Sandbox::build(config);
  ASSERT_TRUE(sandbox);
  const auto evidence = sandbox->ensure_ready();
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().code, ErrorCode::kIsolation);
  expect_refused(sandbox->run_javascript(request_of("console.log(1)")), ErrorCode::kIsolation,
                 NotDispatchedReason::kIsolation);
}

TEST_P(ProviderRefusal, AFloorThatIsNotMetIsRefusedBeforeDispatch) {
  CountingProvider provider(GetParam().make({}));
  ASSERT_TRUE(prove_ready(provider, Isolation::kNone));
  RunRequest request = request_of("console.log(1)");
  for (unsigned floor = 1; floor <= static_cast<unsigned>(Isolation::kVm); ++floor) {
    request.minimum_isolation = static_cast<Isolation>(floor);
    const int before = provider.runs();
    const auto outcome = dispatch(provider, Isolation::kNone, request);
    if (meets(GetParam().tier, request.minimum_isolation)) {
      ASSERT_TRUE(outcome) << outcome.error().message;
      EXPECT_TRUE(meets(outcome->evidence.tier, request.minimum_isolation));
      EXPECT_EQ(provider.runs(), before + 1);
    } else {
      expect_refused(outcome, ErrorCode::kIsolation, NotDispatchedReason::kIsolation);
      EXPECT_EQ(provider.runs(), before);
    }
  }
}

TEST_P(ProviderRefusal, AnInvalidRequestIsRefusedBeforeDispatch) {
  CountingProvider provider(GetParam().make({}));
  ASSERT_TRUE(prove_ready(provider, Isolation::kNone));
  EXPECT_EQ(provider.limits().max_timeout, GetParam().max_timeout);
  std::vector<RunRequest> requests = {
      request_of(""),
      request_of(std::string(kMaxCodeBytes + 1, ' ')),
      request_of("1", Millis{-1}),
      request_of("1", GetParam().max_timeout + Millis{1}),
      request_of("1", Millis{0}, std::string(kMaxCallerBytes + 1, 'c')),
      request_of("1"),
  };
  requests.back().minimum_isolation = Isolation::kUnknown;
  for (const RunRequest& request : requests) {
    expect_refused(dispatch(provider, Isolation::kNone, request), ErrorCode::kInvalidRequest,
                   NotDispatchedReason::kRequest);
  }
  EXPECT_EQ(provider.runs(), 0);
}

TEST_P(ProviderRefusal, WhenNoSlotComesFreeTheRunIsRefused) {
  Sandbox sandbox = ready({.max_concurrent = 1});
  std::stop_source enough;
  std::jthread busy([&sandbox, stop = enough.get_token()] {
    const auto outcome = sandbox.run_javascript(
        request_of("setTimeout(() => {}, 60000)", Millis{30'000}, "busy"), stop);
    EXPECT_FALSE(outcome);
  });
  // Until the busy one has the slot, the other gets it.
  for (bool refused = false; !refused;) {
    const auto start = Clock::now();
    const auto outcome = sandbox.run_javascript(request_of("console.log(1)", Millis{200}, "other"));
    if (outcome) continue;
    refused = true;
    expect_refused(outcome, ErrorCode::kCapacity, NotDispatchedReason::kCapacity);
    EXPECT_GE(since(start), Millis{200});  // the wait is bounded by the run's own length
    EXPECT_LE(since(start), Millis{20'000});
  }
  enough.request_stop();
  busy.join();
  expect_prints(sandbox, "console.log(6*7)", "42\n");
}

TEST_P(ProviderRefusal, ARunThatIsCanceledBeforeItBeginsNeverRan) {
  Sandbox sandbox = ready();
  std::stop_source stop;
  stop.request_stop();
  for (int round = 0; round < 5; ++round) {
    expect_refused(sandbox.run_javascript(request_of("console.log(1)"), stop.get_token()),
                   ErrorCode::kCanceled, NotDispatchedReason::kCapacity);
  }
  expect_prints(sandbox, "console.log(6*7)", "42\n");
}

TEST_P(ProviderRefusal, ARunWaitsForItsSlot) {
  Sandbox sandbox = ready({.max_concurrent = 1});
  std::jthread busy(
      [&sandbox] { EXPECT_TRUE(sandbox.run_javascript(request_of("setTimeout(() => {}, 400)"))); });
  std::this_thread::sleep_for(Millis{100});
  expect_prints(sandbox, "console.log(6*7)", "42\n");
}

}  // namespace
}  // namespace plimsoll::contract
