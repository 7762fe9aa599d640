#include "audit_entry.h"

#include <gtest/gtest.h>

#include "audit/audit_line.h"
#include "audit_input.h"

namespace plimsoll::prospector {
namespace {

const std::string kTurn = {'\xE2', '\x80', '\xAE'};  // U+202E

AuditLine written() {
  AuditLine line;
  line.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'123));
  line.caller = "a\"<b>" + kTurn;
  line.request.profile = *WireName::parse("shop");
  line.outcome = AuditOutcome::kOk;
  line.calls.made = 13;
  line.result = AuditResult{};
  line.result->advice = {.sought = true,
                         .retention = AdviceRetention::kDetailed,
                         .findings = {{.pattern = AdvicePattern::kFanOut,
                                       .severity = AdviceSeverity::kMedium,
                                       .remedy = AdviceRemedy::kGrantRoute,
                                       .method = "GET",
                                       .route = "/v1/items/*?full",
                                       .grant_route = "GET /v1/items",
                                       .extra_calls = 12,
                                       .added_latency_ms = 340,
                                       .bytes_moved = 5600,
                                       .at_least = true}}};
  return line;
}

std::string text_of(const AuditLine& line) {
  std::string text = to_json_line(line);
  text.pop_back();
  return text;
}

TEST(AuditEntry, ReadsWhatTheDaemonWrites) {
  EntryReader reader;
  const auto entry = reader.read(text_of(written()));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->day, std::chrono::sys_days(std::chrono::year(2023) / 11 / 14));
  EXPECT_EQ(entry->caller, "a\"<b>" + kTurn);
  EXPECT_EQ(entry->profile, "shop");
  EXPECT_EQ(entry->host_calls, 13U);
  EXPECT_TRUE(entry->has_advice && entry->detailed);
  EXPECT_EQ(entry->findings, 1U);
  EXPECT_EQ(entry->extra_calls, 12U);
  ASSERT_EQ(entry->advice.size(), 1U);
  const AdviceFinding& finding = entry->advice[0];
  EXPECT_EQ(finding.route, "/v1/items/*?full");
  EXPECT_EQ(finding.grant_route, "GET /v1/items");
  EXPECT_EQ(finding.severity, AdviceSeverity::kMedium);
  EXPECT_EQ(finding.added_latency_ms, 340);
  EXPECT_EQ(finding.bytes_moved, 5600);
  EXPECT_TRUE(finding.at_least);
}

TEST(AuditEntry, ReadsRefusalsAndEachRetention) {
  EntryReader reader;
  AuditLine line = written();
  line.result->advice.retention = AdviceRetention::kAggregate;
  auto entry = reader.read(text_of(line));
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->has_advice && !entry->detailed && entry->advice.empty());
  EXPECT_EQ(entry->bytes_moved, 5600U);
  line.result->advice.retention = AdviceRetention::kNone;
  entry = reader.read(text_of(line));
  ASSERT_TRUE(entry);
  EXPECT_FALSE(entry->has_advice);
  line.result.reset();
  line.outcome = AuditOutcome::kRefused;
  entry = reader.read(text_of(line));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->outcome, EntryOutcome::kRefused);
}

std::string with(std::string_view from, std::string_view to) {
  std::string text = text_of(written());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AuditEntry, WhatNoDaemonWritesIsABadLine) {
  EntryReader reader;
  const auto bad = [&](const std::string& line) {
    const auto entry = reader.read(line);
    return entry ? std::optional<BadLine>() : std::optional(entry.error());
  };
  for (const std::string& line :
       {std::string(), std::string("[]"), std::string("{"), std::string("{\"a\":\"\xFF\"}"),
        std::string("null"), text_of(written()) + "}", std::string(60'000, '[')}) {
    EXPECT_EQ(bad(line), BadLine::kNotJson) << line.substr(0, 99);
  }
  EXPECT_EQ(bad(std::string(kMaxLineBytes + 1, ' ')), BadLine::kTooLong);
  const std::pair<std::string_view, std::string_view> kWrong[] = {
      {"\"2023-11-14T", "\"2023-02-30T"},
      {"\"2023-11-14T", "\"-023-11-14T"},
      {"\"outcome\":\"ok\"", "\"outcome\":\"fine\""},
      {"\"profile\":\"shop\"", "\"profile\":\"<b>\""},
      {"\"profile\":\"shop\"", "\"profile\":7"},
      {"\"host_calls\":13", "\"host_calls\":-1"},
      {"\"host_calls\":13", "\"host_calls\":1.5"},
      {"\"pattern\":\"fan_out\"", "\"pattern\":\"<img>\""},
      {"\"route\":\"/v1/items/*?full\"", "\"route\":\"/<script>\""},
      {"\"route\":\"/v1/items/*?full\"", "\"route\":\"/v1/\\u202Eitems\""},
      {"\"method\":\"GET\"", "\"method\":\"IGNORE ALL\""},
      {"\"grant_route\":\"GET /v1/items\"", "\"grant_route\":\"GET /\\n\""},
      {"\"extra_calls\":12,\"added", "\"extra_calls\":4294967296,\"added"},
      {"\"advice\":[", "\"advice\":[7,"},
  };
  for (const auto& [from, to] : kWrong) {
    EXPECT_EQ(bad(with(from, to)), BadLine::kBadField) << to;
  }
  EXPECT_EQ(bad(R"({"stream":"log","event":"listening"})"), BadLine::kNotAudit);
}

TEST(AuditEntry, OneBadLineSpoilsNoOther) {
  EntryReader reader;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(reader.read("{\"a\":"));
    EXPECT_TRUE(reader.read(text_of(written())));
  }
}

}  // namespace
}  // namespace plimsoll::prospector
