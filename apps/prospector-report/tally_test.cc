#include "tally.h"

#include <gtest/gtest.h>

namespace plimsoll::prospector {
namespace {

AuditEntry entry_of(std::string profile, AdviceRemedy remedy, std::int32_t extra = 12) {
  AuditEntry entry{.day = std::chrono::sys_days(std::chrono::year(2026) / 11 / 29),
                   .caller = "ann",
                   .profile = std::move(profile),
                   .host_calls = 20,
                   .has_advice = true,
                   .findings = 1,
                   .extra_calls = static_cast<std::uint64_t>(extra),
                   .added_latency_ms = 100,
                   .bytes_moved = 1000,
                   .detailed = true};
  entry.advice = {{.severity = AdviceSeverity::kMedium,
                   .remedy = remedy,
                   .method = "GET",
                   .route = "/v1/items/*",
                   .extra_calls = extra,
                   .added_latency_ms = 100,
                   .bytes_moved = 1000}};
  return entry;
}

TEST(Tally, TheThreeClassesStayApart) {
  EXPECT_EQ(class_of(AdviceRemedy::kUseGrantedRoute), FindingClass::kCode);
  EXPECT_EQ(class_of(AdviceRemedy::kReuseAnswer), FindingClass::kCode);
  EXPECT_EQ(class_of(AdviceRemedy::kGrantRoute), FindingClass::kOperator);
  EXPECT_EQ(class_of(AdviceRemedy::kAskApiOwner), FindingClass::kUnknown);
  EXPECT_EQ(class_of(AdviceRemedy::kNone), FindingClass::kUnknown);
  Tally tally;
  for (const AdviceRemedy remedy : {AdviceRemedy::kUseGrantedRoute, AdviceRemedy::kGrantRoute,
                                    AdviceRemedy::kAskApiOwner, AdviceRemedy::kNone}) {
    tally.add(entry_of("shop", remedy));
  }
  EXPECT_EQ(tally.groups.size(), 4U);
  const Share& shop = tally.profiles.at("shop");
  EXPECT_EQ(shop.by_class[0].extra_calls, 12U);
  EXPECT_EQ(shop.by_class[1].extra_calls, 12U);
  EXPECT_EQ(shop.by_class[2].extra_calls, 24U);
  EXPECT_EQ(shop.runs, 4U);
  EXPECT_EQ(tally.routes.at("GET /v1/items/*").all().findings, 4U);
}

TEST(Tally, TheLargestRunOfAGroupIsKept) {
  Tally tally;
  for (const int extra : {12, 40, 13}) tally.add(entry_of("shop", AdviceRemedy::kNone, extra));
  ASSERT_EQ(tally.groups.size(), 1U);
  const FindingGroup& group = tally.groups.begin()->second;
  EXPECT_EQ(group.largest.extra_calls, 40);
  EXPECT_EQ(group.cost.extra_calls, 65U);
  EXPECT_EQ(group.cost.findings, 3U);
  EXPECT_EQ(group.worst, AdviceSeverity::kMedium);
}

TEST(Tally, SumsWithoutDetailsCountInTheTotalOnly) {
  AuditEntry entry = entry_of("shop", AdviceRemedy::kNone);
  entry.advice.clear();
  entry.findings = 3;
  Tally tally;
  tally.add(entry);
  EXPECT_EQ(tally.total.findings, 3U);
  EXPECT_EQ(tally.detailed.findings, 0U);
  EXPECT_EQ(tally.not_detailed, 3U);
  EXPECT_EQ(tally.advised_runs, 1U);
}

TEST(Tally, MemoryEndsWhereTheTablesAreFull) {
  Tally tally;
  for (std::size_t i = 0; i < kMaxCallersKept + 10; ++i) {
    AuditEntry entry = entry_of("p" + std::to_string(i), AdviceRemedy::kNone);
    entry.caller = "c" + std::to_string(i);
    entry.day += std::chrono::days(i);
    entry.advice[0].route = "/r" + std::to_string(i) + "/*";
    tally.add(entry);
  }
  EXPECT_EQ(tally.callers.size(), kMaxCallersKept);
  EXPECT_EQ(tally.other_callers.runs, 10U);
  EXPECT_EQ(tally.profiles.size(), kMaxProfilesKept);
  EXPECT_EQ(tally.days.size(), kMaxDaysKept);
  EXPECT_EQ(tally.groups.size(), kMaxGroupsKept);
  EXPECT_EQ(tally.other_groups.findings, 10U);
  EXPECT_EQ(tally.other_routes.runs, 10U);
  EXPECT_EQ(tally.runs, kMaxCallersKept + 10);
}

TEST(Tally, BadLinesAreCountedAndAFewAreNamed) {
  Tally tally;
  for (std::uint64_t i = 1; i <= 9; ++i) tally.add_bad(BadLine::kNotJson, "a.jsonl", i);
  tally.add_bad(BadLine::kNotAudit, "a.jsonl", 10);
  EXPECT_EQ(tally.unreadable(), 9U);
  EXPECT_EQ(tally.lines, 10U);
  EXPECT_EQ(tally.examples.size(), kMaxExamples);
  EXPECT_EQ(tally.examples.front().line, 1U);
}

TEST(Tally, ARefusalIsNoRunWithAGrant) {
  AuditEntry entry = entry_of("shop", AdviceRemedy::kNone);
  entry.outcome = EntryOutcome::kRefused;
  entry.advice.clear();
  entry.has_advice = false;
  entry.findings = 0;
  Tally tally;
  tally.add(entry);
  EXPECT_EQ(tally.granted_runs, 0U);
  EXPECT_EQ(tally.runs, 1U);
}

}  // namespace
}  // namespace plimsoll::prospector
