#include "plimsoll/advisor.h"

#include <set>

#include "advisor/advisor_fixture.h"

namespace plimsoll::advisor {
namespace {

TEST(Advisor, NamesTheGrantedRoute) {
  CallTrace trace = times(13, row_of("GET", "/items/*"));
  trace.rows.push_back(row_of("GET", "/items/*", 404));
  const auto found = advise(trace, grant_of({"GET /items/*", "GET /items"}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].suggested_method, "GET");
  EXPECT_EQ(found[0].suggested_route, "/items");
  EXPECT_EQ(found[0].grant_route, "");
  EXPECT_EQ(found[0].extra_calls, 12);
  EXPECT_EQ(found[0].added_latency_ms, 120);
  EXPECT_EQ(found[0].bytes_moved, 1300);
  EXPECT_EQ(found[0].severity, AdviceSeverity::kMedium);
  EXPECT_EQ(found[0].detail,
            "GET /items/* was called 13 times with success, item by item; 1 more call failed. "
            "GET /items is granted as well: one call of it may do, on the condition that it "
            "returns the same items.");
}

TEST(Advisor, SeverityGoesByExtraCalls) {
  const Grant grant = grant_of({"GET /items/*"});
  const auto severity = [&](std::size_t calls) {
    return advise(times(calls, row_of("GET", "/items/*")), grant).at(0).severity;
  };
  EXPECT_EQ(severity(10), AdviceSeverity::kLow);
  EXPECT_EQ(severity(11), AdviceSeverity::kMedium);
  EXPECT_EQ(severity(50), AdviceSeverity::kMedium);
  EXPECT_EQ(severity(51), AdviceSeverity::kHigh);
}

TEST(Advisor, ATraceWithoutRoomSaysAtLeast) {
  CallTrace trace = times(kMaxTraceRows, row_of("GET", "/items/*"));
  const Grant grant = grant_of({"GET /items/*"});
  EXPECT_EQ(advise(trace, grant).at(0).detail.find("at least"), std::string::npos);
  trace.dropped = 1;
  const AdviceFinding found = advise(trace, grant).at(0);
  EXPECT_TRUE(found.at_least);
  EXPECT_NE(found.detail.find("called at least 256 times"), std::string::npos) << found.detail;
}

TEST(Advisor, TheCallerGetsWhatItsCodeCanMend) {
  CallTrace trace = times(5, row_of("GET", "/a/*"));
  for (const CallRow& row :
       {row_of("GET", "/b/*"), row_of("GET", "/c/*"), row_of("PUT", "/a/*"), row_of("GET", "/e")}) {
    for (int i = 0; i < 5; ++i) trace.rows.push_back(row);
  }
  const auto found =
      advise(trace, grant_of({"GET /a/*", "GET /a", "GET /b/*", "GET /c/*", "PUT /a/*", "GET /e"},
                             {"GET /b", "POST /c"}));
  std::set<AdviceRemedy> remedies;
  for (const AdviceFinding& one : found) remedies.insert(one.remedy);
  EXPECT_EQ(found.size(), 5U);
  EXPECT_EQ(remedies.size(), 5U);
  const auto own = for_caller(found);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].remedy, AdviceRemedy::kUseGrantedRoute);
  EXPECT_EQ(own[1].remedy, AdviceRemedy::kReuseAnswer);
  for (const AdviceFinding& one : own) EXPECT_EQ(one.grant_route, "");
}

TEST(Advisor, TheOperatorGetsTheLineToAdd) {
  const auto found =
      advise(times(5, row_of("GET", "/b/*")), grant_of({"GET /b/*"}, {"GET /b/*", "GET /b?limit"}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].grant_route, "GET /b?limit");
  EXPECT_EQ(found[0].suggested_route, "");
}

TEST(Advisor, FindingsAreBoundedAndTheLargestStay) {
  std::vector<std::string> allow;
  CallTrace trace;
  for (int i = 0; i < 50; ++i) {
    const std::string route = "/r" + std::to_string(i) + "/*";
    allow.push_back("GET " + route);
    for (int call = 0; call < 5 + i; ++call) trace.rows.push_back(row_of("GET", route));
  }
  const auto found = advise(trace, grant_of(allow));
  ASSERT_EQ(found.size(), kMaxAdviceFindings);
  EXPECT_EQ(found.front().route, "/r49/*");
  EXPECT_EQ(found.back().route, "/r18/*");
}

}  // namespace
}  // namespace plimsoll::advisor
