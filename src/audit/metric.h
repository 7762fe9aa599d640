// Counters, gauges and histograms in the Prometheus text format (version 0.0.4), with a bound on
// how many series there can be: a label value that comes from outside makes no unbounded memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

// Only grows. Safe for concurrent use, as are the others.
class Counter {
 public:
  void add(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

// A counter that is kept elsewhere, by the kernel for one, and read.
class ReadCounter : public Gauge {};

// Of seconds. The bounds go from a warm worker's fraction of a millisecond to a project's minutes.
class Histogram {
 public:
  static constexpr std::array kBounds = {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,    0.1,    0.25,  0.5,    1.0,   2.5,  5.0,
                                         10.0,    30.0,   60.0,  120.0,  300.0};
  struct Snapshot {
    std::array<std::uint64_t, kBounds.size() + 1> up_to{};  // cumulative; the last is +Inf
    double sum = 0;
  };

  // Negative and NaN count as 0.
  void observe(double seconds) noexcept;
  [[nodiscard]] Snapshot snapshot() const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets_{};
  std::atomic<double> sum_ = 0;
};

// What is told about a family of series.
struct MetricDescription {
  std::string_view name;  // [a-z_][a-z0-9_]*; a counter's ends with _total
  std::string_view help;  // one line
  std::vector<std::string_view> labels;
};

// No more series in one family: what comes later is counted with "other" for every label.
inline constexpr std::size_t kMaxSeries = 256;

// What the registry renders.
class MetricFamily {
 public:
  MetricFamily(const MetricFamily&) = delete;
  MetricFamily& operator=(const MetricFamily&) = delete;
  virtual ~MetricFamily() = default;

  // Appends its # HELP, its # TYPE and a sample for each series.
  virtual void render(std::string& out) const = 0;
  [[nodiscard]] const MetricDescription& description() const noexcept { return description_; }

 protected:
  explicit MetricFamily(MetricDescription description) : description_(std::move(description)) {}

 private:
  MetricDescription description_;
};

// The series of one kind of metric, by the values of its labels.
template <class Metric>
class Family final : public MetricFamily {
 public:
  // Without labels, the one series is there, and 0, from the start.
  explicit Family(MetricDescription description);

  // As many values as there are labels, in their order. The reference lives as long as the family.
  [[nodiscard]] Metric& with(std::initializer_list<std::string_view> values);

  void render(std::string& out) const override;

 private:
  using Values = std::vector<std::string>;
  mutable std::mutex mutex_;  // of the map; the metrics are atomic
  std::map<Values, std::unique_ptr<Metric>> series_;
};

extern template class Family<Counter>;
extern template class Family<Gauge>;
extern template class Family<ReadCounter>;
extern template class Family<Histogram>;

// Appends `value` as the inside of a label's quotes: backslash, quote and newline are escaped, and
// what is not UTF-8 becomes U+FFFD.
void append_label_value(std::string& out, std::string_view value);

// "0.005", "+Inf": as the format wants a number.
[[nodiscard]] std::string metric_number(double value);

}  // namespace plimsoll
