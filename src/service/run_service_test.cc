#include "service/run_service.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "auth/authenticator.h"
#include "base/clock.h"
#include "providers/fake_provider.h"
#include "record/verify.h"

namespace plimsoll {
namespace {

class MemoryAudit final : public AuditSink {
 public:
  bool accepting = true;
  std::vector<AuditLine> lines;

  [[nodiscard]] bool accepts() const override { return accepting; }
  void write(const AuditLine& line) override { lines.push_back(line); }
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }
};

Authenticated caller_of(const Authenticator& authenticator) {
  const std::string_view field = "Bearer token";
  auto caller = authenticator.authenticate({&field, 1});
  EXPECT_TRUE(caller);
  return *caller;
}

RunCall valid_call() {
  RunCall call;
  call.asked.payload = JavaScriptRun{.code = "console.log(6*7)"};
  call.arrived = std::chrono::steady_clock::now();
  return call;
}

class RunServiceTest : public ::testing::Test {
 protected:
  [[nodiscard]] RunService service() {
    return RunService({.provider = &provider,
                       .admission = &admission,
                       .audit = &audit,
                       .metrics = &metrics,
                       .clock = &clock,
                       .minimum_isolation = minimum,
                       .policy = "standard"});
  }

  SystemClock clock;
  FakeProvider provider;
  Admission admission{{.max_concurrent = 1, .per_caller_concurrent = 1}, clock};
  MemoryAudit audit;
  ServiceMetrics metrics{{.version = "test", .compiler = "test"}, clock};
  Isolation minimum = Isolation::kNone;
  Authenticator authenticator = Authenticator::with_shared_token("token");
};

// One way to be refused: what is wrong with the call or the world, and what is said.
struct Refused {
  std::string name;
  std::function<void(RunCall&)> spoil;
  FailureCode code;
  NotDispatchedReason reason;
  AuditRefusal refusal;
};

const Refused kRefusals[] = {
    {"no protocol", [](RunCall& call) { call.asked.protocol = 0; }, FailureCode::kInvalidArgument,
     NotDispatchedReason::kRequest, AuditRefusal::kProtocol},
    {"another protocol", [](RunCall& call) { call.asked.protocol = 3; },
     FailureCode::kUnimplemented, NotDispatchedReason::kProtocol, AuditRefusal::kProtocol},
    {"protocol before payload",
     [](RunCall& call) {
       call.asked.protocol = 1;
       call.asked.payload = std::monostate();
     },
     FailureCode::kUnimplemented, NotDispatchedReason::kProtocol, AuditRefusal::kProtocol},
    {"no payload", [](RunCall& call) { call.asked.payload = std::monostate(); },
     FailureCode::kInvalidArgument, NotDispatchedReason::kRequest, AuditRefusal::kInvalidRequest},
    {"empty code", [](RunCall& call) { call.asked.payload = JavaScriptRun{}; },
     FailureCode::kInvalidArgument, NotDispatchedReason::kRequest, AuditRefusal::kInvalidRequest},
    {"negative timeout", [](RunCall& call) { call.asked.timeout_ms = -1; },
     FailureCode::kInvalidArgument, NotDispatchedReason::kRequest, AuditRefusal::kInvalidRequest},
    {"no such tier", [](RunCall& call) { call.asked.minimum_isolation = "unknown"; },
     FailureCode::kInvalidArgument, NotDispatchedReason::kRequest, AuditRefusal::kInvalidRequest},
    {"a cell without a session",
     [](RunCall& call) { call.asked.payload = CellRun{.language = "js", .code = "1"}; },
     FailureCode::kInvalidArgument, NotDispatchedReason::kRequest, AuditRefusal::kInvalidRequest},
    {"a grant profile of nobody's",
     [](RunCall& call) {
       call.asked.payload = JavaScriptRun{.code = "1", .grant_profile = "orders"};
     },
     FailureCode::kPermissionDenied, NotDispatchedReason::kPermission, AuditRefusal::kGrantProfile},
    {"a project",
     [](RunCall& call) {
       call.asked.payload = ProjectRun{.files = {{"a.js", "1"}}, .steps = {"true"}};
     },
     FailureCode::kUnimplemented, NotDispatchedReason::kUnsupported, AuditRefusal::kUnsupported},
    {"other software",
     [](RunCall& call) {
       call.asked.software_rule = {.mode = "exact", .identities = {"other:sha256:11"}};
     },
     FailureCode::kFailedPrecondition, NotDispatchedReason::kEnvironment,
     AuditRefusal::kSoftwareRule},
    {"a floor above the tier", [](RunCall& call) { call.asked.minimum_isolation = "container"; },
     FailureCode::kFailedPrecondition, NotDispatchedReason::kIsolation, AuditRefusal::kIsolation},
};

TEST_F(RunServiceTest, EachRefusalIsTypedAuditedAndNeverReachesTheProvider) {
  RunService under_test = service();
  for (const Refused& refused : kRefusals) {
    RunCall call = valid_call();
    refused.spoil(call);
    const RunReply reply = under_test.run(caller_of(authenticator), call);
    const auto* failure = std::get_if<RunFailure>(&reply);
    ASSERT_NE(failure, nullptr) << refused.name;
    EXPECT_EQ(failure->code, refused.code) << refused.name;
    EXPECT_EQ(failure->not_dispatched, refused.reason) << refused.name;
    EXPECT_FALSE(failure->message.empty()) << refused.name;
    ASSERT_FALSE(audit.lines.empty());
    EXPECT_EQ(audit.lines.back().refusal, refused.refusal) << refused.name;
    EXPECT_EQ(audit.lines.back().outcome, AuditOutcome::kRefused) << refused.name;
    EXPECT_EQ(audit.lines.back().caller, kSharedCaller) << refused.name;
  }
  EXPECT_EQ(provider.runs, 0);
  EXPECT_EQ(audit.lines.size(), std::size(kRefusals));
  EXPECT_EQ(admission.load().in_flight, 0U);
}

TEST_F(RunServiceTest, TheOperatorsFloorHoldsForARunThatStatesNone) {
  minimum = Isolation::kKernel;
  const RunReply reply = service().run(caller_of(authenticator), valid_call());
  EXPECT_EQ(std::get<RunFailure>(reply).not_dispatched, NotDispatchedReason::kIsolation);
  EXPECT_EQ(provider.runs, 0);
}

TEST_F(RunServiceTest, NothingRunsWithoutEvidence) {
  provider.evidence_error = Error{.code = ErrorCode::kNotReady, .message = "not yet"};
  const RunReply reply = service().run(caller_of(authenticator), valid_call());
  EXPECT_EQ(std::get<RunFailure>(reply).code, FailureCode::kUnavailable);
  EXPECT_TRUE(std::get<RunFailure>(reply).not_dispatched);
  EXPECT_EQ(provider.runs, 0);
}

TEST_F(RunServiceTest, NothingRunsThatCannotBeAudited) {
  audit.accepting = false;
  const RunReply reply = service().run(caller_of(authenticator), valid_call());
  EXPECT_EQ(std::get<RunFailure>(reply).refusal, AuditRefusal::kAuditStalled);
  EXPECT_TRUE(std::get<RunFailure>(reply).not_dispatched);
  EXPECT_EQ(provider.runs, 0);
}

TEST_F(RunServiceTest, ARefusedAttemptIsChargedToTheCaller) {
  Admission stingy(
      {.max_concurrent = 1, .per_caller_concurrent = 1, .rate = {.per_minute = 1, .burst = 2}},
      clock);
  RunService under_test({.provider = &provider,
                         .admission = &stingy,
                         .audit = &audit,
                         .metrics = &metrics,
                         .clock = &clock});
  RunCall hopeless = valid_call();
  hopeless.asked.minimum_isolation = "vm";
  for (int i = 0; i < 2; ++i) (void)under_test.run(caller_of(authenticator), hopeless);
  const RunReply reply = under_test.run(caller_of(authenticator), valid_call());
  const auto* failure = std::get_if<RunFailure>(&reply);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, FailureCode::kResourceExhausted);
  EXPECT_EQ(failure->refusal, AuditRefusal::kRate);
  EXPECT_TRUE(failure->retry_after);
  EXPECT_EQ(provider.runs, 0);
}

TEST_F(RunServiceTest, ACallThatIsCanceledWhileItWaitsRunsNothingAndLeavesTheLine) {
  const auto held = admission.wait("somebody", Millis(0));
  ASSERT_TRUE(held);
  std::stop_source stop;
  RunCall call = valid_call();
  call.stop = stop.get_token();
  RunService under_test = service();
  std::jthread leaver([&] {
    while (admission.load().waiting == 0) std::this_thread::yield();
    stop.request_stop();
  });
  const RunReply reply = under_test.run(caller_of(authenticator), call);
  EXPECT_EQ(std::get<RunFailure>(reply).code, FailureCode::kCanceled);
  EXPECT_TRUE(std::get<RunFailure>(reply).not_dispatched);
  EXPECT_EQ(provider.runs, 0);
  EXPECT_EQ(admission.load().waiting, 0U);
  EXPECT_EQ(audit.lines.back().outcome, AuditOutcome::kCanceled);
}

TEST_F(RunServiceTest, WhatACallHasWaitedElsewhereCountsAgainstItsWait) {
  RunCall late = valid_call();
  late.asked.timeout_ms = 60'000;
  late.arrived -= std::chrono::minutes(2);
  RunService under_test = service();
  {
    const auto held = admission.wait("somebody", Millis(0));
    ASSERT_TRUE(held);
    const auto began = clock.now();
    const RunReply reply = under_test.run(caller_of(authenticator), late);
    EXPECT_LT(clock.now() - began, std::chrono::seconds(30));
    ASSERT_TRUE(std::holds_alternative<RunFailure>(reply));
    EXPECT_EQ(std::get<RunFailure>(reply).refusal, AuditRefusal::kConcurrency);
    EXPECT_TRUE(std::get<RunFailure>(reply).not_dispatched);
  }
  EXPECT_GE(audit.lines.back().duration, std::chrono::minutes(2));
  // A free slot is not kept from it.
  EXPECT_TRUE(std::holds_alternative<RunAnswer>(under_test.run(caller_of(authenticator), late)));
}

TEST_F(RunServiceTest, AnAnswerCarriesARecordThatHolds) {
  const RunCall call = valid_call();
  const RunReply reply = service().run(caller_of(authenticator), call);
  const auto* answer = std::get_if<RunAnswer>(&reply);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(record::mismatches(answer->record, call.asked, answer->result,
                               {.provider = answer->provider,
                                .isolation = std::string(to_string(answer->isolation)),
                                .environment = answer->environment,
                                .software_identity = answer->software_identity}),
            std::vector<std::string>());
  EXPECT_EQ(answer->evidence.tier, Isolation::kProcess);
  ASSERT_TRUE(audit.lines.back().result);
  EXPECT_EQ(audit.lines.back().result->record_sha256.text(), answer->record.record_sha256);
  EXPECT_EQ(admission.load().in_flight, 0U);
}

TEST_F(RunServiceTest, AfterDispatchNoFailureSaysThatNothingRan) {
  provider.run_error = Error{.code = ErrorCode::kInfrastructure, .message = "lost"};
  const RunReply reply = service().run(caller_of(authenticator), valid_call());
  EXPECT_EQ(std::get<RunFailure>(reply).code, FailureCode::kInternal);
  EXPECT_FALSE(std::get<RunFailure>(reply).not_dispatched);
  EXPECT_EQ(audit.lines.back().outcome, AuditOutcome::kFailed);
  EXPECT_EQ(provider.runs, 1);
  EXPECT_EQ(admission.load().in_flight, 0U);
}

TEST_F(RunServiceTest, TheSmallestOfTheThreeTimeoutsWins) {
  struct Case {
    std::int32_t asked_ms;
    std::optional<int> client_ms;
    Millis most;
    Millis least;  // of what is left until the deadline, some time has passed
  };
  for (const Case& c :
       {Case{0, std::nullopt, kDefaultTimeout, kDefaultTimeout},
        Case{2'147'483'647, std::nullopt, kMaxWasmTimeout, kMaxWasmTimeout},
        Case{500, std::nullopt, Millis(500), Millis(500)},
        Case{5'000, 4'000, Millis(4'000), Millis(2'000)}, Case{50, 10'000, Millis(50), Millis(50)},
        Case{50, -10, Millis(1), Millis(1)}}) {
    RunCall call = valid_call();
    call.asked.timeout_ms = c.asked_ms;
    if (c.client_ms) call.deadline = clock.now() + Millis(*c.client_ms);
    const RunReply reply = service().run(caller_of(authenticator), call);
    // The fake reports the timeout that it was given as its duration.
    const auto* answer = std::get_if<RunAnswer>(&reply);
    ASSERT_NE(answer, nullptr);
    EXPECT_LE(answer->duration, c.most);
    EXPECT_GE(answer->duration, c.least);
  }
}

}  // namespace
}  // namespace plimsoll
