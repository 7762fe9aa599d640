#include "audit/service_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/manual_clock.h"

namespace plimsoll {
namespace {

AuditLine line(AuditOutcome outcome) {
  AuditLine line;
  line.caller = "a caller's id";
  line.trace_id = *TraceId::parse("a-trace");
  line.request.kind = AuditKind::kJavascript;
  line.request.profile = *WireName::parse("crm");
  line.provider = *WireName::parse("wasm");
  line.outcome = outcome;
  line.duration = std::chrono::microseconds(700);
  return line;
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class ServiceMetricsTest : public testing::Test {
 protected:
  std::string page() {
    return metrics_.render({.runs_in_flight = 2,
                            .runs_waiting = 5,
                            .pools = {{.pool = "worker",
                                       .ready = 3,
                                       .kept = 4,
                                       .busy = 1,
                                       .ends = {{.reason = "timed_out", .count = 7}}}}});
  }
  void shows(const std::string& sample) {
    EXPECT_NE(page().find("\n" + sample + "\n"), std::string::npos) << sample << "\n" << page();
  }

  ManualClock clock_;
  ServiceMetrics metrics_{{.version = "1.2.3", .compiler = "gcc 12"}, clock_};
};

TEST_F(ServiceMetricsTest, CountsEachAuditLineOnce) {
  AuditLine ran = line(AuditOutcome::kOk);
  ran.calls = {.made = 3, .denied = 1, .breaker_openings = 2};
  metrics_.count(ran);
  metrics_.count(line(AuditOutcome::kCanceled));
  AuditLine refused = line(AuditOutcome::kRefused);
  refused.refusal = AuditRefusal::kRate;
  metrics_.count(refused);
  shows(R"(plimsoll_runs_total{provider="wasm",kind="javascript",outcome="ok"} 1)");
  shows(R"(plimsoll_runs_total{provider="wasm",kind="javascript",outcome="canceled"} 1)");
  shows(R"(plimsoll_refusals_total{reason="rate"} 1)");
  shows(R"(plimsoll_run_duration_seconds_count{provider="wasm",kind="javascript"} 2)");
  shows(R"(plimsoll_run_duration_seconds_bucket{provider="wasm",kind="javascript",le="0.001"} 2)");
  shows(R"(plimsoll_host_calls_total{profile="crm",result="made"} 3)");
  shows(R"(plimsoll_host_calls_total{profile="crm",result="denied"} 1)");
  shows(R"(plimsoll_breaker_openings_total{profile="crm"} 2)");
  shows("plimsoll_runs_in_flight 2");
  shows("plimsoll_runs_waiting 5");
  shows(R"(plimsoll_pool_size{pool="worker",state="ready"} 3)");
  shows(R"(plimsoll_pool_size{pool="worker",state="kept"} 4)");
  shows(R"(plimsoll_pool_size{pool="worker",state="busy"} 1)");
  shows(R"(plimsoll_pool_restarts_total{pool="worker",reason="timed_out"} 7)");
  shows(R"(plimsoll_build_info{version="1.2.3",compiler="gcc 12"} 1)");
  shows("process_start_time_seconds 1700000000");
}

TEST_F(ServiceMetricsTest, NothingOfACallerIsInThePage) {
  metrics_.count(line(AuditOutcome::kOk));
  metrics_.count(line(AuditOutcome::kRefused));
  EXPECT_EQ(page().find("a caller"), std::string::npos);
  EXPECT_EQ(page().find("a-trace"), std::string::npos);
}

// The exposition format: each family once, HELP and TYPE before its samples, each sample once,
// names and labels well-formed, counters ending with _total, a newline at the end.
TEST_F(ServiceMetricsTest, ThePageHasItsForm) {
  metrics_.count(line(AuditOutcome::kOk));
  metrics_.breaker_openings.with({"crm"}).add();
  metrics_.advice.with({"orders", "fan_out", "low", "none"}).add();
  const std::string text = page();
  ASSERT_EQ(text.back(), '\n');
  std::map<std::string, std::string> types;
  std::set<std::string> samples;
  std::string family;
  std::istringstream lines(text);
  for (std::string at; std::getline(lines, at);) {
    std::istringstream words(at);
    std::string hash;
    std::string what;
    if (at.starts_with("# HELP ")) {
      words >> hash >> what >> family;
      EXPECT_TRUE(is_metric_name(family)) << family;
      EXPECT_FALSE(types.contains(family)) << family;
      EXPECT_TRUE(at.ends_with(".")) << at;
    } else if (at.starts_with("# TYPE ")) {
      std::string name;
      std::string type;
      words >> hash >> what >> name >> type;
      EXPECT_EQ(name, family);
      types[name] = type;
      EXPECT_TRUE(type != "counter" || name.ends_with("_total")) << name;
    } else {
      const auto name_end = at.find_first_of("{ ");
      const std::string name = at.substr(0, name_end);
      EXPECT_TRUE(name.starts_with(family)) << at;
      const std::string suffix = name.substr(family.size());
      const bool parts = types[family] == "histogram";
      EXPECT_EQ(parts, suffix == "_bucket" || suffix == "_sum" || suffix == "_count") << at;
      const auto value_at = at.rfind(' ');
      EXPECT_TRUE(samples.insert(at.substr(0, value_at)).second) << at;
      std::size_t parsed = 0;
      static_cast<void>(std::stod(at.substr(value_at + 1), &parsed));
      EXPECT_EQ(parsed, at.size() - value_at - 1) << at;
    }
  }
  EXPECT_EQ(types.size(), metrics_.families().size());
}

TEST_F(ServiceMetricsTest, EveryFamilyIsOnThePage) {
  // As many members as the list has, by their size in this class.
  std::set<std::string_view> names;
  for (const MetricFamily* family : metrics_.families()) {
    EXPECT_TRUE(names.insert(family->description().name).second);
  }
  EXPECT_EQ(names.size(), 19U);
}

}  // namespace
}  // namespace plimsoll
