#include "audit/audit_line.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using Json = nlohmann::json;

AuditLine good_line() {
  AuditLine line;
  line.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'123));
  line.caller = "ann";
  line.trace_id = *TraceId::parse("t-1");
  line.request.kind = AuditKind::kJavascript;
  line.request.code_bytes = 17;
  line.request.profile = *WireName::parse("crm.read");
  line.request.floor = Isolation::kProcess;
  line.provider = *WireName::parse("wasm");
  line.tier = Isolation::kProcess;
  line.outcome = AuditOutcome::kOk;
  line.duration = std::chrono::microseconds(1234);
  line.calls = {.made = 2, .denied = 1};
  line.result = AuditResult{.exit_code = 3, .stderr_truncated = true};
  line.result->record_sha256 = *AuditDigest::parse(std::string(64, 'a'));
  return line;
}

TEST(AuditLine, IsOneJsonObject) {
  EXPECT_EQ(
      to_json_line(good_line()),
      R"({"time":"2023-11-14T22:13:20.123Z","stream":"audit","event":"code_run",)"
      R"("caller":"ann","trace_id":"t-1","trace_id_rejected":false,"kind":"javascript",)"
      R"("code_bytes":17,"file_count":0,"file_bytes":0,"step_count":0,"artifact_count":0,)"
      R"("row_count":0,"profile":"crm.read","floor":"process","provider":"wasm",)"
      R"("tier":"process","outcome":"ok","refusal":"","duration_us":1234,"host_calls":2,)"
      R"("host_calls_denied":1,"host_calls_shed":0,"host_calls_dropped":0,"exit_code":3,)"
      R"("timed_out":false,"stdout_truncated":false,"stderr_truncated":true,)"
      R"("artifacts_truncated":false,"record_sha256":")" +
          std::string(64, 'a') +
          R"(","advice_findings":null,"advice_extra_calls":null,"advice_added_latency_ms":null,)"
          R"("advice_bytes_moved":null,"advice_dropped":null,"advice":null})"
          "\n");
}

TEST(AuditLine, ARefusalHasTheSameFields) {
  AuditLine line = good_line();
  line.outcome = AuditOutcome::kRefused;
  line.refusal = AuditRefusal::kIsolation;
  line.result.reset();
  const Json refused = Json::parse(to_json_line(line));
  const Json ran = Json::parse(to_json_line(good_line()));
  std::set<std::string> names;
  for (const auto& [name, value] : ran.items()) names.insert(name);
  for (const auto& [name, value] : refused.items()) EXPECT_EQ(names.erase(name), 1U) << name;
  EXPECT_TRUE(names.empty());
  EXPECT_EQ(refused["refusal"], "isolation");
  EXPECT_TRUE(refused["exit_code"].is_null());
}

AdviceFinding good_finding() {
  return {.pattern = AdvicePattern::kFanOut,
          .severity = AdviceSeverity::kMedium,
          .remedy = AdviceRemedy::kGrantRoute,
          .method = "GET",
          .route = "/v1/items/*",
          .detail = "a sentence that is on no line",
          .grant_route = "GET /v1/items?limit",
          .extra_calls = 12,
          .added_latency_ms = 340,
          .bytes_moved = 5600};
}

TEST(AuditLine, RetentionSaysWhatIsKeptOfAdvice) {
  AuditLine line = good_line();
  line.result->advice = {.sought = true, .findings = {good_finding(), good_finding()}};
  const std::string without = to_json_line(good_line());
  EXPECT_EQ(to_json_line(line), without);
  line.result->advice.retention = AdviceRetention::kAggregate;
  Json json = Json::parse(to_json_line(line));
  EXPECT_EQ(json["advice_findings"], 2);
  EXPECT_EQ(json["advice_extra_calls"], 24);
  EXPECT_EQ(json["advice_added_latency_ms"], 680);
  EXPECT_EQ(json["advice_bytes_moved"], 11200);
  EXPECT_TRUE(json["advice"].is_null());
  EXPECT_EQ(to_json_line(line).find("items"), std::string::npos);
  line.result->advice.retention = AdviceRetention::kDetailed;
  json = Json::parse(to_json_line(line));
  EXPECT_EQ(json["advice"].size(), 2U);
  EXPECT_EQ(json["advice_dropped"], 0);
  EXPECT_EQ(json["advice"][0].dump(),
            R"({"added_latency_ms":340,"at_least":false,"bytes_moved":5600,"extra_calls":12,)"
            R"("grant_route":"GET /v1/items?limit","method":"GET","pattern":"fan_out",)"
            R"("remedy":"grant_route","route":"/v1/items/*","severity":"medium",)"
            R"("suggested_method":"","suggested_route":""})");
  line.result->advice.sought = false;
  EXPECT_EQ(to_json_line(line), without);
}

TEST(AuditLine, FindingsWithoutRoomAreCounted) {
  AuditLine line = good_line();
  line.result->advice = {
      .sought = true,
      .retention = AdviceRetention::kDetailed,
      .findings = std::vector<AdviceFinding>(kMaxAdviceFindings, good_finding())};
  line.result->advice.findings[8].route = std::string(2048, 'r');
  const std::string text = to_json_line(line);
  EXPECT_LE(text.size(), kMaxAuditLineBytes);
  const Json json = Json::parse(text);
  EXPECT_GT(json["advice"].size(), 5U);
  EXPECT_EQ(json["advice"].size() + json["advice_dropped"].get<std::size_t>(), kMaxAdviceFindings);
  EXPECT_EQ(json["advice_findings"], kMaxAdviceFindings);
  for (const Json& one : json["advice"]) EXPECT_EQ(one["route"], "/v1/items/*");
}

// Every field that is a string, and what can be in it. A new one has to be argued for here: there
// is none for code, output, a path or a token.
TEST(AuditLine, NoFieldHoldsContent) {
  const std::set<std::string> kFixed = {"time",  "stream", "event",   "kind",
                                        "floor", "tier",   "outcome", "refusal"};
  const std::set<std::string> kChecked = {"trace_id", "profile", "provider", "record_sha256"};
  const std::set<std::string> kOperators = {"caller"};
  const Json json = Json::parse(to_json_line(good_line()));
  for (const auto& [name, value] : json.items()) {
    EXPECT_EQ(value.is_string(),
              kFixed.contains(name) || kChecked.contains(name) || kOperators.contains(name))
        << name;
    EXPECT_TRUE(value.is_string() || value.is_number_integer() || value.is_boolean() ||
                name.starts_with("advice"))
        << name;
  }
}

TEST(AuditLine, FreeTextFitsInNoCheckedField) {
  for (const std::string_view text :
       {"", "console.log(1)", "/etc/passwd", "a b", "a\nb", "{\"a\":1}", "é", "a\x1b[2J", "a,b"}) {
    EXPECT_FALSE(WireName::parse(text)) << text;
    EXPECT_FALSE(AuditDigest::parse(text)) << text;
    EXPECT_FALSE(TraceId::parse(text)) << text;
  }
  EXPECT_FALSE(AuditDigest::parse(std::string(64, 'A')));
  EXPECT_FALSE(AuditDigest::parse(std::string(63, 'a')));
}

TEST(AuditLine, ACallersIdForgesNothing) {
  const std::pair<std::string, std::string> ids[] = {
      {"a\n{\"stream\":\"audit\",\"outcome\":\"ok\"}",
       "a\n{\"stream\":\"audit\",\"outcome\":\"ok\"}"},
      {"a\",\"outcome\":\"ok\",\"b\":\"", "a\",\"outcome\":\"ok\",\"b\":\""},
      {"a\x1b[2J", "a\x1b[2J"},
      {"a\xE2\x80\xA8", "a\xE2\x80\xA8"},
      {"a\xFF", "a\xEF\xBF\xBD"},
      {"a\r\0b", "a\r"},
      {std::string("a\0b", 3), std::string("a\0b", 3)},
      {"\\", "\\"},
  };
  for (const auto& [id, read_back] : ids) {
    AuditLine line = good_line();
    line.outcome = AuditOutcome::kRefused;
    line.caller = id;
    const std::string text = to_json_line(line);
    for (const char c : text.substr(0, text.size() - 1)) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << text;
    EXPECT_EQ(text.back(), '\n');
    const Json json = Json::parse(text);
    EXPECT_EQ(json["caller"], read_back);
    EXPECT_EQ(json["outcome"], "refused");
    EXPECT_EQ(json.size(), Json::parse(to_json_line(good_line())).size());
  }
}

TEST(AuditLine, TheLongestFitsInOneWriteToAPipe) {
  AuditLine line = good_line();
  line.caller = std::string(1000, '\x1b');
  line.trace_id = *TraceId::parse(std::string(64, 'x'));
  line.request.profile = *WireName::parse(std::string(128, 'x'));
  line.provider = *WireName::parse(std::string(128, 'x'));
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  line.request.code_bytes = line.request.file_count = line.request.file_bytes = kMost;
  line.request.step_count = line.request.artifact_count = line.request.row_count = kMost;
  line.duration = std::chrono::microseconds::min();
  AuditResult& result = *line.result;
  result.exit_code = std::numeric_limits<std::int32_t>::min();
  line.calls = {.made = kMost, .denied = kMost, .shed = kMost, .dropped = kMost};
  result.advice = {.sought = true, .retention = AdviceRetention::kDetailed, .findings = {}};
  AdviceFinding finding = good_finding();
  finding.extra_calls = std::numeric_limits<std::int32_t>::max();
  finding.bytes_moved = finding.added_latency_ms = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t bytes : {1U, 7U, 100U, 1000U, 2048U}) {
    finding.route = std::string(bytes, 'r');
    result.advice.findings.assign(kMaxAdviceFindings, finding);
    EXPECT_LE(to_json_line(line).size(), kMaxAuditLineBytes) << bytes;
  }
  result.advice.findings.clear();
  EXPECT_LE(to_json_line(line).size(), kMaxAuditLineBytes);
}

TEST(AuditLine, NamesAreDistinct) {
  std::set<std::string_view> seen;
  for (int i = 0; i <= static_cast<int>(AuditRefusal::kAuditStalled); ++i) {
    EXPECT_TRUE(seen.insert(to_string(static_cast<AuditRefusal>(i))).second) << i;
  }
  EXPECT_EQ(seen.size(), 15U);
}

TEST(AuditLine, TimesBeforeAndAtTheEpoch) {
  using std::chrono::system_clock;
  EXPECT_EQ(to_rfc3339(system_clock::time_point{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(system_clock::time_point(std::chrono::milliseconds(-1))),
            "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace plimsoll
