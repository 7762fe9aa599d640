// Over many made-up runs: what holds whatever a guest asks for.
#include <algorithm>
#include <random>
#include <set>

#include "advisor/advisor_fixture.h"
#include "broker/allow_list.h"
#include "broker/frozen_grant.h"
#include "broker/trace_recorder.h"
#include "plimsoll/advisor.h"

namespace plimsoll::advisor {
namespace {

constexpr std::string_view kMarker = "gu3st";

const std::vector<std::string> kAllow = {
    "GET /v1/items/*",   "GET /v1/items?page",  "PUT /v1/items/*", "GET /v1/rates",
    "GET /v1/*/lines/*", "GET /v1/parts/*?all", "GET /*",          "DELETE /v1/shops/*/items/*"};
const std::vector<std::string> kCatalog = {"GET /v1/*/lines?limit", "GET /v1/items",
                                           "PUT /v1/items"};

std::string all_text(const AdviceFinding& finding) {
  return finding.method + '\n' + finding.route + '\n' + finding.detail + '\n' +
         finding.suggested_method + '\n' + finding.suggested_route + '\n' + finding.grant_route +
         '\n' + prompt(finding);
}

class Runs {
 public:
  explicit Runs(unsigned seed) : random_(seed) {}

  // As the broker makes it: the guest's target is matched, and the route is written down.
  CallTrace broker_trace(const Grant& grant) {
    TraceRecorder recorder;
    const std::size_t calls = below(400);
    for (std::size_t i = 0; i < calls; ++i) {
      const Route& route = pick(grant.frozen().allow.routes());
      std::string target;
      for (const std::string& segment : route.segments()) {
        target += '/' + (segment == "*" ? std::string(kMarker) + std::to_string(i) : segment);
      }
      if (!route.query_names().empty()) {
        target += '?' + route.query_names().front() + '=' + std::string(kMarker);
      }
      const Route* match = grant.frozen().allow.match(route.method(), target);
      if (match != nullptr) recorder.add(*match, answer());
    }
    return recorder.trace();
  }

  // As no broker makes it: text of the guest's in every field that has text.
  CallTrace forged_trace() {
    CallTrace trace = {.dropped = below(2)};
    const std::size_t rows = below(kMaxTraceRows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string& line = pick(kAllow);
      const auto blank = line.find(' ');
      CallRow row{.method = line.substr(0, blank), .route = line.substr(blank + 1)};
      if (below(3) == 0) row.route.insert(below(row.route.size()), kMarker);
      if (below(9) == 0) row.method += kMarker;
      const TraceRecorder::Answer numbers = answer();
      row.status = numbers.status;
      row.delivered = numbers.delivered;
      row.request_bytes = numbers.request_bytes;
      row.response_bytes = numbers.response_bytes;
      row.latency = numbers.latency;
      trace.rows.push_back(std::move(row));
    }
    return trace;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  TraceRecorder::Answer answer() {
    static constexpr unsigned kStatus[] = {200, 200, 200, 201, 204, 404, 500, 0};
    const unsigned status = kStatus[below(8)];
    return {.status = status,
            .delivered = status != 0 && below(10) != 0,
            .request_bytes = below(100),
            .response_bytes = below(2) * 50,
            .latency = std::chrono::microseconds(below(100'000))};
  }

  std::mt19937 random_;
};

void check(const CallTrace& trace, const Grant& grant, unsigned seed) {
  const std::set<std::string> allowed(kAllow.begin(), kAllow.end());
  const std::set<std::string> known(kCatalog.begin(), kCatalog.end());
  const auto findings = advise(trace, grant);
  for (const AdviceFinding& one : findings) {
    const std::string text = all_text(one);
    EXPECT_EQ(text.find(kMarker), std::string::npos) << seed << text;
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
      return c == '\n' || (c >= 0x20 && c < 0x7F);
    })) << seed;
    EXPECT_TRUE(allowed.contains(one.method + ' ' + one.route)) << seed;
    EXPECT_TRUE(one.suggested_route.empty() ||
                allowed.contains(one.suggested_method + ' ' + one.suggested_route))
        << seed;
    EXPECT_TRUE(one.grant_route.empty() || known.contains(one.grant_route)) << seed;
    EXPECT_GE(one.extra_calls, one.pattern == AdvicePattern::kFanOut ? 4 : 2) << seed;
    EXPECT_GE(one.added_latency_ms, 0) << seed;
    EXPECT_GE(one.bytes_moved, 0) << seed;
    EXPECT_EQ(one.method != "GET", one.remedy == AdviceRemedy::kNone) << seed;
    EXPECT_EQ(prompt(one).empty(), one.remedy != AdviceRemedy::kAskApiOwner) << seed;
  }
  EXPECT_LE(findings.size(), kMaxAdviceFindings);
}

TEST(AdvisorProperty, NoByteOfTheGuestsReachesAFinding) {
  const Grant grant = grant_of(kAllow, kCatalog);
  std::size_t findings = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Runs runs(seed);
    for (const CallTrace& trace : {runs.broker_trace(grant), runs.forged_trace()}) {
      check(trace, grant, seed);
      findings += advise(trace, grant).size();
    }
  }
  EXPECT_GT(findings, 500U);
}

TEST(AdvisorProperty, TheOrderOfOtherRoutesCallsChangesNothing) {
  const Grant grant = grant_of(kAllow, kCatalog);
  for (unsigned seed = 0; seed < 50; ++seed) {
    Runs runs(seed);
    CallTrace trace = runs.forged_trace();
    const auto found = advise(trace, grant);
    std::ranges::sort(trace.rows, {}, &CallRow::route);
    const auto again = advise(trace, grant);
    ASSERT_EQ(again.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(all_text(again[i]), all_text(found[i]));
      EXPECT_EQ(again[i].added_latency_ms, found[i].added_latency_ms);
    }
  }
}

}  // namespace
}  // namespace plimsoll::advisor
