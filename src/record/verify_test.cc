#include "record/verify.h"

#include <gmock/gmock.h>

#include <functional>

namespace plimsoll::record {
namespace {

using testing::ElementsAre;

// An answer that holds, and everything that belongs to it.
struct Answer {
  AskedRun asked{.minimum_isolation = "process", .payload = JavaScriptRun{.code = "1"}};
  RunResult result = JavaScriptResult{{.stdout_bytes = "42\n"}};
  AnswerClaims claims{.provider = "wasm",
                      .isolation = "process",
                      .environment = "quickjs-wasm:sha256:00",
                      .software_identity = "s"};
  RunRecord record = complete({.provider = claims.provider,
                               .isolation = claims.isolation,
                               .environment = claims.environment,
                               .policy = "p",
                               .software_identity = claims.software_identity,
                               .started_unix_ms = 1,
                               .ended_unix_ms = 2},
                              asked, result);

  std::vector<std::string> found() const { return mismatches(record, asked, result, claims); }
};

TEST(Verify, ATrueRecordHolds) { EXPECT_THAT(Answer{}.found(), ElementsAre()); }

TEST(Verify, EachAlterationIsFound) {
  struct Row {
    std::function<void(Answer&)> alter;
    std::vector<std::string> found;
  };
  for (const Row& row : {
           Row{[](Answer& answer) { answer.asked.timeout_ms = 1; }, {"request_sha256"}},
           Row{[](Answer& answer) { answer.result = JavaScriptResult{}; }, {"result_sha256"}},
           Row{[](Answer& answer) { answer.claims.provider = "docker"; }, {"provider"}},
           Row{[](Answer& answer) { answer.claims.isolation = "vm"; }, {"isolation"}},
           Row{[](Answer& answer) { answer.claims.environment = ""; }, {"environment"}},
           Row{[](Answer& answer) { answer.claims.software_identity = ""; }, {"software_identity"}},
           Row{[](Answer& answer) { answer.record.version = 3; }, {"version"}},
           Row{[](Answer& answer) { answer.record.policy = "q"; }, {"record_sha256"}},
           Row{[](Answer& answer) { answer.record.session = "s"; }, {"record_sha256"}},
           Row{[](Answer& answer) { answer.record.ended_unix_ms = 3; }, {"record_sha256"}},
           Row{[](Answer& answer) { answer.record.isolation = "vm"; },
               {"isolation", "record_sha256"}},
           Row{[](Answer& answer) { answer.record.software_rule_id = "exact:a"; },
               {"software_rule_id", "record_sha256"}},
           // The digest in upper case is another string.
           Row{[](Answer& answer) { answer.record.record_sha256[0] = 'A'; }, {"record_sha256"}},
           // Whoever altered all of it consistently still has not what was asked for.
           Row{[](Answer& answer) {
                 answer.record = complete(answer.record, {.payload = JavaScriptRun{.code = "2"}},
                                          answer.result);
               },
               {"request_sha256"}},
       }) {
    Answer answer;
    row.alter(answer);
    EXPECT_EQ(answer.found(), row.found);
  }
}

TEST(Verify, AMissingRecordHoldsNothing) {
  Answer answer;
  answer.record = RunRecord{.version = 0};
  EXPECT_THAT(answer.found(),
              ElementsAre("version", "request_sha256", "result_sha256", "provider", "isolation",
                          "environment", "software_identity", "record_sha256"));
}

}  // namespace
}  // namespace plimsoll::record
