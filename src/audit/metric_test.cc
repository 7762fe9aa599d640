#include "audit/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "audit/process_sample.h"

namespace plimsoll {
namespace {

template <class Metric>
std::string rendered(const Family<Metric>& family) {
  std::string page;
  family.render(page);
  return page;
}

TEST(Metric, ACounter) {
  Family<Counter> family({"a_total", "What it counts.", {"x", "y"}});
  EXPECT_EQ(rendered(family), "# HELP a_total What it counts.\n# TYPE a_total counter\n");
  family.with({"1", "b"}).add();
  family.with({"1", "a"}).add(41);
  family.with({"1", "a"}).add();
  EXPECT_EQ(rendered(family),
            "# HELP a_total What it counts.\n# TYPE a_total counter\n"
            "a_total{x=\"1\",y=\"a\"} 42\na_total{x=\"1\",y=\"b\"} 1\n");
}

TEST(Metric, AGaugeWithoutLabelsIsThereFromTheStart) {
  Family<Gauge> family({"g", "G.", {}});
  EXPECT_EQ(rendered(family), "# HELP g G.\n# TYPE g gauge\ng 0\n");
  family.with({}).set(-1.5);
  EXPECT_EQ(rendered(family), "# HELP g G.\n# TYPE g gauge\ng -1.5\n");
}

TEST(Metric, AHistogramIsCumulativeAndBoundsBelongToTheirBucket) {
  Family<Histogram> family({"h_seconds", "H.", {"k"}});
  for (const double seconds : {0.0001, 0.00025, 0.02, 400.0, -1.0, std::nan("")}) {
    family.with({"v"}).observe(seconds);
  }
  const std::string page = rendered(family);
  EXPECT_NE(page.find("h_seconds_bucket{k=\"v\",le=\"0.00025\"} 4\n"), std::string::npos) << page;
  EXPECT_NE(page.find("h_seconds_bucket{k=\"v\",le=\"0.025\"} 5\n"), std::string::npos);
  EXPECT_NE(page.find("h_seconds_bucket{k=\"v\",le=\"300\"} 5\n"), std::string::npos);
  EXPECT_NE(page.find("h_seconds_bucket{k=\"v\",le=\"+Inf\"} 6\n"), std::string::npos);
  EXPECT_NE(page.find("h_seconds_sum{k=\"v\"} 400.02035\n"), std::string::npos);
  EXPECT_NE(page.find("h_seconds_count{k=\"v\"} 6\n"), std::string::npos);
}

TEST(Metric, ALabelValueForgesNoLine) {
  Family<Counter> family({"a_total", "A.", {"x"}});
  family.with({"a\"} 1\nforged_total 7\\\xFF"}).add();
  EXPECT_EQ(rendered(family),
            "# HELP a_total A.\n# TYPE a_total counter\n"
            "a_total{x=\"a\\\"} 1\\nforged_total 7\\\\\xEF\xBF\xBD\"} 1\n");
}

TEST(Metric, SeriesAreBounded) {
  Family<Counter> family({"a_total", "A.", {"x"}});
  for (std::size_t i = 0; i < 10'000; ++i) family.with({std::to_string(i)}).add();
  EXPECT_EQ(family.with({"one more"}).value(), 10'000 - kMaxSeries);
  EXPECT_EQ(&family.with({"one more"}), &family.with({"other"}));
  EXPECT_EQ(family.with({"255"}).value(), 1U);
}

TEST(Metric, Numbers) {
  EXPECT_EQ(metric_number(0), "0");
  EXPECT_EQ(metric_number(0.00025), "0.00025");
  EXPECT_EQ(metric_number(1e300), "1e+300");
  EXPECT_EQ(metric_number(HUGE_VAL), "+Inf");
  EXPECT_EQ(metric_number(-HUGE_VAL), "-Inf");
  EXPECT_EQ(metric_number(std::nan("")), "NaN");
}

TEST(Metric, ThreadsLoseNothing) {
  Family<Counter> counters({"a_total", "A.", {"x"}});
  Family<Histogram> histograms({"h", "H.", {}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        counters.with({std::to_string(i % 3)}).add();
        histograms.with({}).observe(0.5);
        if (i % 500 == 0) static_cast<void>(rendered(counters) + rendered(histograms));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(
      counters.with({"0"}).value() + counters.with({"1"}).value() + counters.with({"2"}).value(),
      8000U);
  EXPECT_EQ(histograms.with({}).snapshot().sum, 4000);
}

TEST(ProcessSample, ReadsTheFieldsOfProcStat) {
  const std::string kStat =
      "42 (a b) (c) R 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 5 0 12345 1048576 256 "
      "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";
  const auto sample = parse_proc_stat(kStat, 100, 4096);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->cpu_seconds, 3.0);
  EXPECT_EQ(sample->virtual_bytes, 1'048'576U);
  EXPECT_EQ(sample->resident_bytes, 1'048'576U);
  for (const std::string_view other : {"", "42", "42 (a) R 1 2", "no parentheses at all"}) {
    EXPECT_FALSE(parse_proc_stat(other, 100, 4096)) << other;
  }
}

TEST(ProcessSample, OfThisProcess) {
  const ProcessSample sample = sample_process();
  EXPECT_GT(sample.resident_bytes, 100'000U);
  EXPECT_GE(sample.open_fds, 3U);
  EXPECT_LT(sample.open_fds, sample.max_fds);
}

}  // namespace
}  // namespace plimsoll
