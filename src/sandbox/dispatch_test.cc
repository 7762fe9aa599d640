#include "sandbox/dispatch.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "providers/disabled/disabled_provider.h"
#include "providers/fake_provider.h"

namespace plimsoll {
namespace {

RunRequest request_of(std::string code, Isolation floor = Isolation::kNone) {
  return {.code = std::move(code), .minimum_isolation = floor, .caller = {}};
}

TEST(ProveReady, ReturnsTheEvidenceTakenAfterPreflight) {
  FakeProvider provider;
  const auto evidence = prove_ready(provider, Isolation::kProcess);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->tier, Isolation::kProcess);
  EXPECT_EQ(provider.ready_calls, 1);
  EXPECT_EQ(provider.evidence_calls, 1);
}

TEST(ProveReady, FailsBelowTheConfiguredMinimum) {
  FakeProvider provider;
  const auto evidence = prove_ready(provider, Isolation::kContainer);
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().code, ErrorCode::kIsolation);
}

TEST(ProveReady, PassesOnWhatFailed) {
  FakeProvider provider;
  provider.evidence_error = Error{ErrorCode::kNotReady, "no evidence", {}};
  EXPECT_EQ(prove_ready(provider, Isolation::kNone).error().message, "no evidence");
  provider.ready_error = Error{ErrorCode::kNotReady, "no worker", {}};
  EXPECT_EQ(prove_ready(provider, Isolation::kNone).error().message, "no worker");
}

TEST(Dispatch, RunsAClearedRequestOnce) {
  FakeProvider provider;
  const auto outcome = dispatch(provider, Isolation::kNone, request_of("hello"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stdout_bytes, "hello");
  EXPECT_EQ(outcome->duration, kDefaultTimeout);
  EXPECT_EQ(provider.runs, 1);
}

TEST(Dispatch, NothingRunsWhenTheRequestIsInvalid) {
  FakeProvider provider;
  const auto outcome = dispatch(provider, Isolation::kNone, request_of(""));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(outcome.error().not_dispatched, NotDispatchedReason::kRequest);
  EXPECT_EQ(provider.runs, 0);
}

TEST(Dispatch, NothingRunsBelowTheRequestsFloor) {
  FakeProvider provider;
  const auto outcome = dispatch(provider, Isolation::kNone, request_of("1", Isolation::kVm));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kIsolation);
  EXPECT_EQ(outcome.error().not_dispatched, NotDispatchedReason::kIsolation);
  EXPECT_EQ(provider.runs, 0);
}

TEST(Dispatch, TheEmbeddersMinimumHoldsForEveryRun) {
  FakeProvider provider;
  provider.tier = Isolation::kNone;  // it got worse after ensure_ready()
  const auto outcome = dispatch(provider, Isolation::kProcess, request_of("1"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kIsolation);
  EXPECT_EQ(provider.runs, 0);
}

TEST(Dispatch, TakesEvidenceAnewForEachRun) {
  FakeProvider provider;
  const RunRequest request = request_of("1", Isolation::kProcess);
  EXPECT_TRUE(dispatch(provider, Isolation::kNone, request));
  provider.tier = Isolation::kUnknown;
  EXPECT_FALSE(dispatch(provider, Isolation::kNone, request));
  EXPECT_EQ(provider.evidence_calls, 2);
  EXPECT_EQ(provider.runs, 1);
}

TEST(Dispatch, NothingRunsWithoutEvidence) {
  FakeProvider provider;
  provider.evidence_error =
      Error{ErrorCode::kNotReady, "not ready", NotDispatchedReason::kEnvironment};
  EXPECT_EQ(dispatch(provider, Isolation::kNone, request_of("1")).error().code,
            ErrorCode::kNotReady);
  EXPECT_EQ(provider.runs, 0);
}

TEST(Dispatch, AnErrorAfterDispatchKeepsNoPromise) {
  FakeProvider provider;
  provider.run_error = Error{ErrorCode::kInfrastructure, "the worker is gone", {}};
  const auto outcome = dispatch(provider, Isolation::kNone, request_of("1"));
  ASSERT_FALSE(outcome);
  EXPECT_FALSE(outcome.error().not_dispatched.has_value());
}

TEST(Dispatch, ADisabledProviderRefusesEverything) {
  DisabledProvider provider;
  for (const Error& error : {prove_ready(provider, Isolation::kNone).error(),
                             dispatch(provider, Isolation::kNone, request_of("1")).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kDisabled);
    EXPECT_EQ(error.not_dispatched, NotDispatchedReason::kUnsupported);
  }
}

TEST(Dispatch, ManyThreadsAtOnce) {
  FakeProvider provider;
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&provider, t] {
      const RunRequest request = request_of(std::to_string(t));
      for (int i = 0; i < 200; ++i) {
        const auto outcome = dispatch(provider, Isolation::kNone, request);
        ASSERT_TRUE(outcome);
        ASSERT_EQ(outcome->stdout_bytes, request.code);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(provider.runs, 1600);
}

}  // namespace
}  // namespace plimsoll
