#include "record/run_record.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "record/request_digest.h"
#include "record/result_digest.h"

namespace plimsoll::record {
namespace {

TEST(RunRecord, EveryFieldButTheVersionIsInTheDigest) {
  using Change = std::function<void(RunRecord&)>;
  const std::vector<Change> changes = {
      [](RunRecord&) {},
      [](RunRecord& record) { record.request_sha256 = "a"; },
      [](RunRecord& record) { record.result_sha256 = "a"; },
      [](RunRecord& record) { record.provider = "a"; },
      [](RunRecord& record) { record.isolation = "a"; },
      [](RunRecord& record) { record.environment = "a"; },
      [](RunRecord& record) { record.policy = "a"; },
      [](RunRecord& record) { record.software_identity = "a"; },
      [](RunRecord& record) { record.software_rule_id = "a"; },
      [](RunRecord& record) { record.started_unix_ms = 1; },
      [](RunRecord& record) { record.ended_unix_ms = 1; },
      [](RunRecord& record) { record.session = "a"; },
      [](RunRecord& record) { record.sequence = 1; },
      [](RunRecord& record) { record.previous_sha256 = "a"; },
  };
  std::set<std::string> digests;
  for (const Change& change : changes) {
    RunRecord record;
    change(record);
    digests.insert(record_digest(record).hex());
    record.record_sha256 = "a";
    digests.insert(record_digest(record).hex());
  }
  EXPECT_EQ(digests.size(), changes.size());
}

TEST(RunRecord, CompletingFillsInAllThatFollows) {
  const AskedRun asked{.software_rule = {.mode = "exact", .identities = {"image"}},
                       .payload = JavaScriptRun{.code = "1"}};
  const RunResult result = JavaScriptResult{{.exit_code = 3}};
  const RunRecord record = complete({.provider = "wasm", .started_unix_ms = 5}, asked, result);
  EXPECT_EQ(record.version, 2U);
  EXPECT_EQ(record.request_sha256, request_digest(asked).hex());
  EXPECT_EQ(record.result_sha256, result_digest(result).hex());
  EXPECT_EQ(record.software_rule_id, "exact:image");
  EXPECT_EQ(record.provider, "wasm");
  EXPECT_EQ(record.started_unix_ms, 5);
  EXPECT_EQ(record.record_sha256, record_digest(record).hex());
}

TEST(SoftwareRuleId, Names) {
  EXPECT_EQ(software_rule_id({}), "");
  EXPECT_EQ(software_rule_id({.mode = "exact", .identities = {"a:b"}}), "exact:a:b");
  // SHA-256 of "a" alone.
  EXPECT_EQ(software_rule_id({.mode = "approved", .identities = {"a", "a"}}),
            "approved:sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  EXPECT_EQ(software_rule_id({.mode = "approved", .identities = {"\xc3\xa4", "z", "a"}}),
            software_rule_id({.mode = "approved", .identities = {"a", "z", "\xc3\xa4", "z"}}));
  EXPECT_NE(software_rule_id({.mode = "approved", .identities = {"ab"}}),
            software_rule_id({.mode = "approved", .identities = {"a", "b"}}));
}

}  // namespace
}  // namespace plimsoll::record
