// The durations of single runs, kept whole: a mean hides what a caller waits for.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace plimsoll::bench {

using Clock = std::chrono::steady_clock;

class Samples {
 public:
  explicit Samples(std::size_t expected) { microseconds_.reserve(expected); }

  void add(double microseconds) { microseconds_.push_back(microseconds); }
  void add(Clock::duration duration) {
    add(std::chrono::duration<double, std::micro>(duration).count());
  }

  // `share` of them, 0 to 1, are not above the returned value; 0 when there are none.
  [[nodiscard]] double at(double share) {
    if (microseconds_.empty()) return 0;
    const auto last = static_cast<double>(microseconds_.size() - 1);
    const auto nth = microseconds_.begin() + static_cast<std::ptrdiff_t>(share * last);
    std::nth_element(microseconds_.begin(), nth, microseconds_.end());
    return *nth;
  }

  // Counters NAMEp50_us, NAMEp90_us, NAMEp99_us; the mean of the threads where there are several.
  void report(benchmark::State& state, const std::string& name = {}) {
    constexpr auto kMean = benchmark::Counter::kAvgThreads;
    state.counters[name + "p50_us"] = benchmark::Counter(at(0.50), kMean);
    state.counters[name + "p90_us"] = benchmark::Counter(at(0.90), kMean);
    state.counters[name + "p99_us"] = benchmark::Counter(at(0.99), kMean);
  }

 private:
  std::vector<double> microseconds_;
};

}  // namespace plimsoll::bench
