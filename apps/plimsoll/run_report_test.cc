#include "run_report.h"

#include <gtest/gtest.h>

namespace plimsoll::cli {
namespace {

TEST(RunReport, AnOutcomeWhole) {
  Outcome outcome;
  outcome.stdout_bytes = "é\n";
  outcome.stderr_bytes = std::string("\xff\0", 2);
  outcome.stderr_truncated = true;
  outcome.exit_code = 124;
  outcome.timed_out = true;
  outcome.termination = {.cause = TerminationCause::kTimedOut, .detail = "soft"};
  outcome.duration = std::chrono::microseconds{1234};
  outcome.provider = "wasm";
  outcome.evidence = {.tier = Isolation::kProcess,
                      .facts = {{.name = "seccomp",
                                 .value = "2",
                                 .basis = EvidenceBasis::kMeasured,
                                 .observed_unix_ms = 5}}};
  EXPECT_EQ(to_json(outcome),
            R"({"provider":"wasm","isolation":"process","exit_code":124,"timed_out":true,)"
            R"("termination":{"cause":"timed_out","detail":"soft"},"duration_us":1234,)"
            R"("stdout":{"base64":"w6kK","utf8":"é\n","truncated":false},)"
            R"("stderr":{"base64":"/wA=","truncated":true},)"
            R"("evidence":{"tier":"process","facts":[{"name":"seccomp","value":"2",)"
            R"("basis":"measured","observed_unix_ms":5}]}})"
            "\n");
}

TEST(RunReport, AnErrorSaysWhetherAnythingRan) {
  EXPECT_EQ(to_json(Error{ErrorCode::kIsolation, "too weak", NotDispatchedReason::kIsolation}),
            R"({"error":{"code":"isolation","message":"too weak","not_dispatched":"isolation"}})"
            "\n");
  EXPECT_EQ(to_json(Error{ErrorCode::kInfrastructure, "lost", {}}),
            R"({"error":{"code":"infrastructure","message":"lost","not_dispatched":null}})"
            "\n");
}

}  // namespace
}  // namespace plimsoll::cli
