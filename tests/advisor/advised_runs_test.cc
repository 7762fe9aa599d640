// Real workers, a real API, and the same programs under each setting of `advice`: the runs are the
// same byte for byte, and nothing that a guest or the API said is in what the operator is told.
#include <gtest/gtest.h>
#include <plimsoll/advisor.h>
#include <plimsoll/sandbox.h>

#include <random>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "audit/audit_sink.h"
#include "audit/service_metrics.h"
#include "auth/authenticator.h"
#include "sandbox/provider_factory.h"
#include "service/run_service.h"
#include "tests/broker/recording_upstream.h"

namespace plimsoll {
namespace {

constexpr std::string_view kMarker = "gu3st";

class LineAudit final : public AuditSink {
 public:
  std::vector<AuditLine> lines;

  [[nodiscard]] bool accepts() const override { return true; }
  void write(const AuditLine& line) override { lines.push_back(line); }
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }
};

void api(const ReceivedRequest& request, UpstreamPeer& peer) {
  static constexpr std::string_view kJson = "Content-Type: application/json\r\n";
  const std::string target = request.target();
  if (target.starts_with("/broken/")) {
    peer.answer(500, R"({"error":"gu3st"})", kJson);
  } else {
    peer.answer(200, R"({"n":)" + std::to_string(target.size()) + R"(,"t":"gu3st"})", kJson);
  }
}

// A program with waste in it: the same for the same seed.
std::string program(unsigned seed) {
  std::mt19937 numbers(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(numbers()) % end; };
  std::string code = "const say = (v) => console.log(v.n ?? v.status);\n";
  const auto repeat = [&](const std::string& statement) {
    code += "for (let i = 0; i < " + std::to_string(below(9)) + "; ++i) " + statement + "\n";
  };
  for (unsigned i = 0; i < 4; ++i) {
    switch (below(6)) {
      case 0:
        repeat("say(await host.get(`/items/gu3st${i}`));");
        break;
      case 1:
        repeat("say(await host.get('/rates'));");
        break;
      case 2:
        repeat("await host.get('/broken/gu3st').catch(say);");
        break;
      case 3:
        repeat("await host.put(`/items/gu3st${i}`, {note: 'gu3st'}).then(say);");
        break;
      case 4:
        repeat("say(await host.get(`/parts/gu3st${i}`));");
        break;
      default:
        repeat("await host.del('/items/gu3st').catch((e) => console.error(e.status, e.policy));");
    }
  }
  if (below(3) == 0) code += "throw new Error('gu3st');\n";
  if (below(3) == 0) code += "process.exit(" + std::to_string(below(200)) + ");\n";
  return code;
}

class AdvisedRuns : public ::testing::Test {
 protected:
  [[nodiscard]] Grant grant_of(Advice advice) const {
    auto grant = Grant::build({.base_url = upstream_.origin(),
                               .allow = {"GET /items/*", "GET /items?page", "PUT /items/*",
                                         "GET /rates", "GET /broken/*", "GET /parts/*"},
                               .catalog = {"GET /parts?limit"},
                               .advice = advice});
    EXPECT_TRUE(grant) << (grant ? "" : grant.error().message);
    return *std::move(grant);
  }
  // What the API saw, without what differs from one connection to the next.
  std::string seen() {
    std::string all;
    for (const ReceivedRequest& one : upstream_.requests()) all += one.head + one.body + '\n';
    upstream_.forget();
    return all;
  }

  RecordingUpstream upstream_{api};
  SandboxConfig config_{.provider = ProviderKind::kWasm, .wasm = {.pool = 1, .max_concurrent = 1}};
};

std::string rows_of(const CallTrace& trace) {
  std::string text;
  for (const CallRow& row : trace.rows) {
    text += row.method + ' ' + row.route + ' ' + std::to_string(row.status) + ' ' +
            std::to_string(row.request_bytes) + ' ' + std::to_string(row.response_bytes) + '\n';
  }
  return text + std::to_string(trace.denied);
}

std::string result_of(const Outcome& outcome) {
  return outcome.stdout_bytes + '\0' + outcome.stderr_bytes + '\0' +
         std::to_string(outcome.exit_code) + std::string(to_string(outcome.termination.cause)) +
         rows_of(outcome.calls);
}

TEST_F(AdvisedRuns, TheLibrarysRunsAreTheSameByteForByte) {
  auto sandbox = Sandbox::build(config_);
  ASSERT_TRUE(sandbox && sandbox->ensure_ready());
  std::size_t advised = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::vector<std::string> results;
    std::vector<std::string> requests;
    for (const Advice advice : {Advice::kOff, Advice::kOperator, Advice::kCaller}) {
      const Grant grant = grant_of(advice);
      const auto outcome = sandbox->run_javascript(
          {.code = program(seed), .timeout = Millis{20'000}, .grant = grant});
      ASSERT_TRUE(outcome) << outcome.error().message;
      results.push_back(result_of(*outcome));
      requests.push_back(seen());
      const auto own = advisor::for_caller(advisor::advise(outcome->calls, grant));
      EXPECT_EQ(outcome->advice.size(), advice == Advice::kCaller ? own.size() : 0U);
      advised += outcome->advice.size();
      for (const AdviceFinding& one : outcome->advice) {
        EXPECT_TRUE(one.is_for_caller());
        EXPECT_EQ((one.route + one.detail + one.suggested_route).find(kMarker), std::string::npos);
      }
    }
    EXPECT_EQ(results[1], results[0]) << program(seed);
    EXPECT_EQ(results[2], results[0]) << program(seed);
    EXPECT_EQ(requests[1], requests[0]) << program(seed);
    EXPECT_EQ(requests[2], requests[0]) << program(seed);
  }
  EXPECT_GT(advised, 0U);
}

// The parts of a daemon around a real provider.
class AdvisedService : public AdvisedRuns {
 protected:
  RunAnswer run(const std::string& code, Advice advice, AdviceRetention retention) {
    RunService service({.provider = provider_.get(),
                        .admission = &admission_,
                        .audit = &audit_,
                        .metrics = &metrics_,
                        .clock = &clock_,
                        .grant_of = [&](std::string_view, std::string_view) {
                          return std::optional(
                              GrantedApi{.grant = grant_of(advice), .advice_retention = retention});
                        }});
    RunCall call;
    call.asked.payload = JavaScriptRun{.code = code, .grant_profile = "shop"};
    call.asked.timeout_ms = 20'000;
    call.arrived = clock_.now();
    const std::string_view field = "Bearer token";
    const auto caller = authenticator_.authenticate({&field, 1});
    RunReply reply = service.run(*caller, call);
    EXPECT_TRUE(std::holds_alternative<RunAnswer>(reply));
    return std::get<RunAnswer>(std::move(reply));
  }
  [[nodiscard]] std::string last_line() const { return to_json_line(audit_.lines.back()); }

  void SetUp() override { ASSERT_TRUE(provider_->ensure_ready()); }

  SystemClock clock_;
  std::unique_ptr<Provider> provider_ = make_provider(config_);
  Admission admission_{{.max_concurrent = 1, .per_caller_concurrent = 1}, clock_};
  LineAudit audit_;
  ServiceMetrics metrics_{{.version = "test", .compiler = "test"}, clock_};
  Authenticator authenticator_ = Authenticator::with_shared_token("token");
};

const std::string kWasteful =
    "for (let i = 0; i < 12; ++i) await host.get(`/items/gu3st${i}`);"
    "for (let i = 0; i < 6; ++i) await host.get(`/parts/gu3st${i}`);"
    "for (let i = 0; i < 5; ++i) await host.put(`/items/gu3st${i}`, 'gu3st');"
    "for (let i = 0; i < 3; ++i) await host.get('/rates'); console.log('done')";

TEST_F(AdvisedService, RecordsAndAnswersAreTheSameByteForByte) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const RunAnswer off = run(program(seed), Advice::kOff, AdviceRetention::kNone);
    for (const Advice advice : {Advice::kOperator, Advice::kCaller}) {
      const RunAnswer on = run(program(seed), advice, AdviceRetention::kDetailed);
      EXPECT_EQ(on.record.request_sha256, off.record.request_sha256);
      EXPECT_EQ(on.record.result_sha256, off.record.result_sha256) << program(seed);
      EXPECT_EQ(advice == Advice::kOperator && !on.advice.empty(), false);
    }
    EXPECT_TRUE(off.advice.empty());
  }
}

TEST_F(AdvisedService, EachAudienceGetsItsPart) {
  EXPECT_TRUE(run(kWasteful, Advice::kOperator, AdviceRetention::kDetailed).advice.empty());
  EXPECT_NE(last_line().find(R"("grant_route":"GET /parts?limit")"), std::string::npos);
  EXPECT_NE(last_line().find(R"("advice_findings":4)"), std::string::npos) << last_line();
  const RunAnswer answer = run(kWasteful, Advice::kCaller, AdviceRetention::kAggregate);
  ASSERT_EQ(answer.advice.size(), 2U);
  EXPECT_EQ(answer.advice[0].suggested_route, "/items?page");
  EXPECT_EQ(answer.advice[1].pattern, AdvicePattern::kRepeatedRead);
  EXPECT_EQ(last_line().find("/parts"), std::string::npos);
  EXPECT_NE(last_line().find(R"("advice_extra_calls":22)"), std::string::npos) << last_line();
  run(kWasteful, Advice::kCaller, AdviceRetention::kNone);
  EXPECT_NE(last_line().find(R"("advice_findings":null)"), std::string::npos);
  run(kWasteful, Advice::kOff, AdviceRetention::kDetailed);
  EXPECT_NE(last_line().find(R"("advice_findings":null)"), std::string::npos);
  const std::string page = metrics_.render({});
  EXPECT_NE(page.find("plimsoll_advice_total{profile=\"shop\",pattern=\"fan_out\","
                      "severity=\"medium\",remedy=\"use_granted_route\"} 3\n"),
            std::string::npos)
      << page;
}

TEST_F(AdvisedService, NothingOfTheGuestsOrTheApisReachesTheOperator) {
  for (unsigned seed = 100; seed < 108; ++seed) {
    run(program(seed), Advice::kCaller, AdviceRetention::kDetailed);
  }
  run(kWasteful, Advice::kCaller, AdviceRetention::kDetailed);
  for (const AuditLine& line : audit_.lines) {
    EXPECT_EQ(to_json_line(line).find(kMarker), std::string::npos);
    for (const AdviceFinding& one : line.result->advice.findings) {
      EXPECT_EQ((one.detail + advisor::prompt(one)).find(kMarker), std::string::npos);
    }
  }
  EXPECT_EQ(metrics_.render({}).find(kMarker), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
