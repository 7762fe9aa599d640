#include "advisor/detectors.h"

#include <limits>

#include "advisor/advisor_fixture.h"

namespace plimsoll::advisor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::vector<Waste> detect_in(const CallTrace& trace, const std::vector<std::string>& lines) {
  static std::vector<Route> routes;  // outlives what is returned
  routes = routes_of(lines);
  return detect(trace, routes);
}

TEST(Detectors, AFanOutBeginsAtFiveSuccessfulCalls) {
  EXPECT_TRUE(detect_in(times(4, row_of("GET", "/items/*")), {"GET /items/*"}).empty());
  const auto found = detect_in(times(5, row_of("GET", "/items/*")), {"GET /items/*"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pattern, AdvicePattern::kFanOut);
  EXPECT_EQ(found[0].calls, 5U);
  EXPECT_EQ(found[0].bytes, 500U);
  EXPECT_EQ(found[0].added_us, 40'000U);
}

TEST(Detectors, FailedCallsAreNoRecords) {
  for (const unsigned status : {0U, 199U, 300U, 404U, 500U}) {
    CallTrace trace = times(4, row_of("GET", "/items/*"));
    trace.rows.push_back(row_of("GET", "/items/*", status));
    EXPECT_TRUE(detect_in(trace, {"GET /items/*"}).empty()) << status;
    trace.rows.push_back(row_of("GET", "/items/*", 299));
    const auto found = detect_in(trace, {"GET /items/*"});
    ASSERT_EQ(found.size(), 1U) << status;
    EXPECT_EQ(found[0].calls, 5U);
    EXPECT_EQ(found[0].failed, 1U);
  }
  CallTrace trace = times(9, row_of("GET", "/items/*"));
  for (CallRow& row : trace.rows) row.delivered = false;
  EXPECT_TRUE(detect_in(trace, {"GET /items/*"}).empty());
}

TEST(Detectors, TheLongestRoundTripIsTheOneThatStays) {
  CallTrace trace = times(5, row_of("GET", "/items/*", 200, milliseconds(1)));
  trace.rows[3].latency = milliseconds(500);
  EXPECT_EQ(detect_in(trace, {"GET /items/*"}).at(0).added_us, 4000U);
}

TEST(Detectors, ARepeatedReadIsThreeEqualAnswersOfOneConcreteGet) {
  const auto three = times(3, row_of("GET", "/rates"));
  EXPECT_TRUE(detect_in(times(2, row_of("GET", "/rates")), {"GET /rates"}).empty());
  const auto found = detect_in(three, {"GET /rates"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pattern, AdvicePattern::kRepeatedRead);
  EXPECT_TRUE(detect_in(times(9, row_of("POST", "/rates")), {"POST /rates"}).empty());
  CallTrace other = three;
  other.rows[1].response_bytes = 99;
  EXPECT_TRUE(detect_in(other, {"GET /rates"}).empty());
}

// Pages of one size look like one answer: the trace holds no value of a query.
TEST(Detectors, ReadsWithAQueryAreNotTakenForTheSame) {
  EXPECT_TRUE(detect_in(times(9, row_of("GET", "/orders?page")), {"GET /orders?page"}).empty());
}

TEST(Detectors, EachMethodAndRouteStandsAlone) {
  CallTrace trace = times(4, row_of("GET", "/a/*"));
  for (const char* const method : {"PUT", "DELETE"}) {
    for (int i = 0; i < 4; ++i) trace.rows.push_back(row_of(method, "/a/*"));
  }
  EXPECT_TRUE(detect_in(trace, {"GET /a/*", "PUT /a/*", "DELETE /a/*"}).empty());
  trace.rows.push_back(row_of("PUT", "/a/*"));
  const auto found = detect_in(trace, {"GET /a/*", "PUT /a/*", "DELETE /a/*"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].route->method(), "PUT");
}

TEST(Detectors, RowsOfNoGrantedRouteAreNotLookedAt) {
  EXPECT_TRUE(detect_in(times(99, row_of("GET", "/items/17")), {"GET /items/*"}).empty());
  EXPECT_TRUE(detect_in(times(99, row_of("get", "/items/*")), {"GET /items/*"}).empty());
  EXPECT_TRUE(detect_in(times(99, row_of("GET", "/items/*")), {}).empty());
}

TEST(Detectors, SumsSaturate) {
  CallTrace trace = times(6, row_of("GET", "/items/*", 200, microseconds::max(),
                                    std::numeric_limits<std::uint64_t>::max()));
  trace.rows[0].latency = microseconds::min();
  const auto found = detect_in(trace, {"GET /items/*"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_GE(found[0].added_us, static_cast<std::uint64_t>(microseconds::max().count()));
}

}  // namespace
}  // namespace plimsoll::advisor
