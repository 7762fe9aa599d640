#include "broker/run_broker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <map>
#include <optional>

#include "base/manual_clock.h"
#include "broker/fake_transport.h"

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""s;
using std::literals::chrono_literals::operator""ms;
using testing::HasSubstr;
using testing::IsEmpty;

class RunBrokerTest : public testing::Test {
 protected:
  void open(GrantConfig config, std::string_view credential = "",
            std::chrono::milliseconds deadline = 3600s) {
    config.base_url = "https://api.example.com";
    if (config.allow.empty()) config.allow = {"GET /a", "POST /a", "GET /o/*?q"};
    grant_ = *Grant::build(std::move(config));
    auto broker = make_run_broker(*grant_, {.deadline = clock_.now() + deadline}, clock_,
                                  Secret(credential), std::make_unique<FakeTransport>(wire_));
    ASSERT_TRUE(broker);
    broker_ = std::move(*broker);
  }

  std::uint64_t submit(std::string method, std::string target,
                       std::optional<std::string> body = std::nullopt) {
    broker_->submit(
        ++last_,
        {.method = std::move(method), .target = std::move(target), .body = std::move(body)});
    return last_;
  }
  [[nodiscard]] bool is_readable() const {
    pollfd ready{.fd = broker_->fd(), .events = POLLIN, .revents = 0};
    return ::poll(&ready, 1, 0) == 1;
  }
  void take() {
    for (auto& [id, reply] : broker_->take()) replies_[id] = std::move(reply);
  }
  // 0: not answered yet.
  unsigned status(std::uint64_t id) {
    take();
    return replies_.contains(id) ? replies_[id].status : 0;
  }
  // The API answers the exchange that was started last.
  void answer(unsigned status, std::optional<std::string> retry_after = std::nullopt) {
    wire_.answer(wire_.started.size() - 1,
                 {.status = status, .retry_after = std::move(retry_after), .body = "{}"});
    take();
  }

  ManualClock clock_;
  FakeWire wire_;
  std::optional<Grant> grant_;
  std::unique_ptr<Broker> broker_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, BrokerReply> replies_;
};

TEST_F(RunBrokerTest, ItsDescriptorIsReadableWhenThereIsSomethingToTake) {
  open({});
  EXPECT_FALSE(is_readable());
  submit("GET", "/denied");
  EXPECT_TRUE(is_readable());
  submit("GET", "/denied");
  EXPECT_EQ(broker_->take().size(), 2U);
  EXPECT_FALSE(is_readable());
  submit("GET", "/a");
  EXPECT_FALSE(is_readable());
  wire_.answer(0, {.status = 200});
  EXPECT_TRUE(is_readable());
  EXPECT_EQ(broker_->take().size(), 1U);
  EXPECT_FALSE(is_readable());
}

TEST_F(RunBrokerTest, TheBudgetIsCountedBeforeAnythingIsLookedAt) {
  open({.max_calls = 3});
  EXPECT_EQ(status(submit("GET", "/denied")), 403U);
  EXPECT_EQ(status(submit("GET", "/denied")), 403U);
  const auto last = submit("GET", "/a");
  answer(200);
  EXPECT_EQ(status(last), 200U);
  const auto over = submit("GET", "/a");
  EXPECT_EQ(status(over), 429U);
  EXPECT_EQ(replies_[over].source, ReplySource::kRefused);
  EXPECT_EQ(status(submit("GET", "/denied")), 429U);
  EXPECT_EQ(wire_.started.size(), 1U);
  const CallTrace& trace = broker_->trace();
  EXPECT_EQ(trace.denied, 2U);
  EXPECT_EQ(trace.over_budget, 2U);
  EXPECT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.calls(), 5U);
}

TEST_F(RunBrokerTest, ARunThatEndsBeforeItsAnswersHidesNoCall) {
  open({});
  EXPECT_EQ(status(submit("GET", "/denied")), 403U);
  submit("GET", "/a");
  answer(200);
  submit("GET", "/o/7?q=secret");
  submit("POST", "/a", "body");
  broker_->close();
  const CallTrace& trace = broker_->trace();
  ASSERT_EQ(trace.rows.size(), 3U);
  EXPECT_EQ(trace.rows[0].status, 200U);
  EXPECT_EQ(trace.rows[1].route, "/o/*?q");
  EXPECT_EQ(trace.rows[1].status, 0U);
  EXPECT_FALSE(trace.rows[1].delivered);
  EXPECT_EQ(trace.rows[2].method, "POST");
  EXPECT_EQ(trace.rows[2].request_bytes, 4U);
  EXPECT_EQ(trace.calls(), 4U);
  EXPECT_THAT(broker_->take(), IsEmpty());
}

TEST_F(RunBrokerTest, SixteenCallsAtOnce) {
  open({});
  for (unsigned i = 0; i < kMaxCallsInFlight; ++i) submit("GET", "/a");
  EXPECT_EQ(wire_.started.size(), kMaxCallsInFlight);
  EXPECT_EQ(status(submit("GET", "/a")), 429U);
  EXPECT_EQ(status(submit("GET", "/denied")), 429U) << "not even whether it is denied";
  answer(200);
  submit("GET", "/a");
  EXPECT_EQ(wire_.started.size(), kMaxCallsInFlight + 1);
}

TEST_F(RunBrokerTest, ARefusalSaysThatItIsPolicyAndThatRetryingDoesNotHelp) {
  open({});
  const auto denied = submit("DELETE", "/a");
  EXPECT_EQ(status(denied), 403U);
  EXPECT_THAT(replies_[denied].body, HasSubstr("forbidden by sandbox capability allowlist"));
  EXPECT_THAT(replies_[denied].body, HasSubstr("policy"));
  EXPECT_THAT(replies_[denied].body, HasSubstr("retrying will not help"));
}

TEST_F(RunBrokerTest, ATraceRowHoldsTheOperatorsWordsOnly) {
  open({}, "tok-secret");
  const auto call = submit("GET", "/o/needle?q=needle", "needle");
  clock_.advance(1500ms);
  wire_.answer(0, {.status = 404, .content_type = "text/needle", .body = "needle!"});
  EXPECT_EQ(status(call), 404U);
  ASSERT_EQ(broker_->trace().rows.size(), 1U);
  const CallRow& row = broker_->trace().rows[0];
  EXPECT_EQ(row.method, "GET");
  EXPECT_EQ(row.route, "/o/*?q");
  EXPECT_EQ(row.status, 404U);
  EXPECT_TRUE(row.delivered);
  EXPECT_EQ(row.request_bytes, 6U);
  EXPECT_EQ(row.response_bytes, 7U);
  EXPECT_EQ(row.latency, 1500ms);
}

TEST_F(RunBrokerTest, ALoopThatRetriesAMillionTimesIsSeenOnceAWindow) {
  open({.max_calls = 100'000});
  submit("GET", "/a");
  answer(429, "2");
  // Every millisecond for 20 s, while the API goes on to answer 429.
  for (int i = 0; i < 20'000; ++i) {
    clock_.advance(1ms);
    const auto before = wire_.started.size();
    submit("GET", "/a");
    submit("GET", "/a");
    if (wire_.started.size() != before) answer(429, "2");
    take();
  }
  EXPECT_EQ(wire_.started.size(), 11U);
  EXPECT_EQ(broker_->trace().breaker_openings, 11U);
  EXPECT_EQ(broker_->trace().shed, 40'000U - 10U);
}

TEST_F(RunBrokerTest, ACallIsShedWith503AndNoRow) {
  open({});
  submit("GET", "/a");
  answer(503, "Thu, 01 Jan 1970 00:00:00 GMT");
  const auto shed = submit("GET", "/a");
  EXPECT_EQ(status(shed), 503U);
  EXPECT_THAT(replies_[shed].body, testing::StartsWith("shedding"));
  EXPECT_EQ(replies_[shed].source, ReplySource::kRefused);
  EXPECT_EQ(status(submit("GET", "/denied")), 403U) << "a refusal is no secret of the pause";
  clock_.advance(1s);  // a time that is past is the least pause
  const auto call = submit("GET", "/a");
  answer(200);
  EXPECT_EQ(status(call), 200U);
  EXPECT_EQ(broker_->trace().shed, 1U);
  EXPECT_EQ(broker_->trace().rows.size(), 2U);
}

TEST_F(RunBrokerTest, AnElectedCallProbesAndGoesOnWhenTheApiIsWell) {
  open({.health_check = "GET /health"});
  submit("GET", "/a");
  answer(503, "30");
  const auto elected = submit("POST", "/a", "{}");
  const auto other = submit("GET", "/a");
  EXPECT_EQ(status(other), 503U);
  ASSERT_EQ(wire_.started.size(), 2U);
  EXPECT_EQ(wire_.started[1].request.method, "GET");
  EXPECT_EQ(wire_.started[1].request.target, "/health");
  EXPECT_EQ(wire_.started[1].request.timeout, kProbeTimeout);
  EXPECT_FALSE(wire_.started[1].request.body);
  EXPECT_EQ(status(elected), 0U);
  answer(204);  // the probe
  ASSERT_EQ(wire_.started.size(), 3U);
  EXPECT_EQ(wire_.started[2].request.target, "/a");
  EXPECT_EQ(wire_.started[2].request.body, "{}");
  answer(201);
  EXPECT_EQ(status(elected), 201U);
  // The probe is neither traced nor charged.
  EXPECT_EQ(broker_->trace().rows.size(), 2U);
  EXPECT_EQ(broker_->trace().calls(), 3U);
}

TEST_F(RunBrokerTest, OneProbeASecondAndNoneForALimit) {
  open({.health_check = "GET /health", .max_calls = 100'000});
  submit("GET", "/a");
  answer(503, "10");
  for (int i = 0; i < 5000; ++i) {
    clock_.advance(1ms);
    const auto before = wire_.started.size();
    const auto call = submit("GET", "/a");
    if (wire_.started.size() != before) {
      EXPECT_EQ(wire_.started.back().request.target, "/health");
      answer(503);
    }
    EXPECT_EQ(status(call), 503U);
  }
  EXPECT_EQ(wire_.started.size(), 1U + 5U);
  for (const auto& [id, request] : wire_.started) {
    EXPECT_EQ(request.target, id == wire_.started[0].id ? "/a" : "/health");
  }
}

TEST_F(RunBrokerTest, ASlowProbeThatFailsEndsItsCall) {
  open({.health_check = "GET /health"});
  submit("GET", "/a");
  answer(503, "30");
  const auto elected = submit("GET", "/a");
  clock_.advance(1900ms);
  wire_.answer(1, {.fault = HttpFault::kTimedOut});
  EXPECT_EQ(status(elected), 503U);
  EXPECT_EQ(wire_.started.size(), 2U);
  submit("GET", "/a");
  EXPECT_EQ(wire_.started.size(), 3U) << "the next call may probe";
}

TEST_F(RunBrokerTest, ALimitIsNeverProbed) {
  open({.health_check = "GET /health", .max_calls = 100'000});
  submit("GET", "/a");
  answer(429, "10");
  for (int i = 0; i < 999; ++i) {
    clock_.advance(10ms);
    EXPECT_EQ(status(submit("GET", "/a")), 503U);
  }
  EXPECT_EQ(wire_.started.size(), 1U);
}

TEST_F(RunBrokerTest, ABodyThatIsTooLargeIsRefusedAndEndsNoPause) {
  open({});
  submit("GET", "/a");
  answer(429, "1");
  clock_.advance(1s);
  EXPECT_EQ(status(submit("POST", "/a", std::string(kMaxCallBodyBytes + 1, 'x'))), 413U);
  EXPECT_EQ(wire_.started.size(), 1U);
  submit("GET", "/a");  // now the trial
  EXPECT_EQ(wire_.started.size(), 2U);
  EXPECT_EQ(status(submit("GET", "/a")), 503U);
  answer(200);
  EXPECT_EQ(status(submit("POST", "/a", std::string(kMaxCallBodyBytes, 'x'))), 0U);
}

TEST_F(RunBrokerTest, FaultsAreNotTheApisAnswers) {
  const std::pair<HttpFault, unsigned> cases[] = {
      {HttpFault::kPeerRefused, 502}, {HttpFault::kUnreachable, 502}, {HttpFault::kTimedOut, 504},
      {HttpFault::kTooLarge, 502},    {HttpFault::kBroken, 502},
  };
  open({});
  for (const auto& [fault, expected] : cases) {
    const auto call = submit("GET", "/a");
    wire_.answer(wire_.started.size() - 1, {.fault = fault, .status = 200});
    EXPECT_EQ(status(call), expected);
    EXPECT_EQ(replies_[call].source, ReplySource::kFailed);
    EXPECT_THAT(replies_[call].body, testing::Not(HasSubstr("example")));
    EXPECT_FALSE(broker_->trace().rows.back().delivered);
    EXPECT_EQ(broker_->trace().rows.back().response_bytes, 0U);
  }
}

TEST_F(RunBrokerTest, A503WhoseBodyCannotBeDeliveredIsAPauseAllTheSame) {
  open({});
  submit("GET", "/a");
  wire_.answer(0, {.fault = HttpFault::kTooLarge, .status = 503, .retry_after = "9"});
  take();
  clock_.advance(8s);
  EXPECT_EQ(status(submit("GET", "/a")), 503U);
  EXPECT_EQ(wire_.started.size(), 1U);
}

TEST_F(RunBrokerTest, AfterTheDeadlineNothingIsSent) {
  open({}, "", 1s);
  submit("GET", "/a");
  EXPECT_EQ(wire_.started[0].request.timeout, 1s);
  clock_.advance(1s);
  EXPECT_EQ(status(submit("GET", "/a")), 504U);
  EXPECT_EQ(wire_.started.size(), 1U);
}

TEST_F(RunBrokerTest, NoCallTakesLongerThanItsLimit) {
  open({});
  submit("GET", "/a");
  EXPECT_EQ(wire_.started[0].request.timeout, kCallTimeout);
}

TEST_F(RunBrokerTest, AnEmptyAllowListReachesNothing) {
  auto grant = Grant::build({.base_url = "https://api.example.com"});
  ASSERT_TRUE(grant);
  auto broker = make_run_broker(*grant, {.deadline = clock_.now() + 1s}, clock_, Secret(),
                                std::make_unique<FakeTransport>(wire_));
  ASSERT_TRUE(broker);
  (*broker)->submit(1, {.method = "GET", .target = "/a"});
  EXPECT_EQ((*broker)->take().at(0).reply.status, 403U);
  EXPECT_THAT(wire_.started, IsEmpty());
}

}  // namespace
}  // namespace plimsoll
