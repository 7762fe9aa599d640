#include "audit/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/utf8.h"

namespace plimsoll {
namespace {

constexpr std::string_view kOther = "other";

std::string_view type_name(const Counter*) { return "counter"; }
std::string_view type_name(const Gauge*) { return "gauge"; }
std::string_view type_name(const ReadCounter*) { return "counter"; }
std::string_view type_name(const Histogram*) { return "histogram"; }

// {a="x",le="1"}, or nothing.
std::string label_set(std::span<const std::string_view> names, std::span<const std::string> values,
                      std::string_view bound = {}) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += text.empty() ? '{' : ',';
    text += name;
    text += "=\"";
    append_label_value(text, value);
    text += '"';
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i], values[i]);
  if (!bound.empty()) add("le", bound);
  if (!text.empty()) text += '}';
  return text;
}

// One series of a family while it is rendered.
struct Series {
  const MetricDescription& description;
  std::span<const std::string> values;
};

template <class Number>
void sample(std::string& out, std::string_view name, std::string_view suffix,
            std::string_view labels, Number value) {
  fmt::format_to(std::back_inserter(out), "{}{}{} {}\n", name, suffix, labels, value);
}

void render_series(std::string& out, const Series& series, const Counter& counter) {
  sample(out, series.description.name, "", label_set(series.description.labels, series.values),
         counter.value());
}

void render_series(std::string& out, const Series& series, const Gauge& gauge) {
  sample(out, series.description.name, "", label_set(series.description.labels, series.values),
         metric_number(gauge.value()));
}

void render_series(std::string& out, const Series& series, const Histogram& histogram) {
  const Histogram::Snapshot snapshot = histogram.snapshot();
  const auto& [name, help, labels] = series.description;
  for (std::size_t i = 0; i < snapshot.up_to.size(); ++i) {
    const double bound = i < Histogram::kBounds.size() ? Histogram::kBounds[i] : HUGE_VAL;
    sample(out, name, "_bucket", label_set(labels, series.values, metric_number(bound)),
           snapshot.up_to[i]);
  }
  const std::string set = label_set(labels, series.values);
  sample(out, name, "_sum", set, metric_number(snapshot.sum));
  sample(out, name, "_count", set, snapshot.up_to.back());
}

}  // namespace

void Histogram::observe(double seconds) noexcept {
  if (!(seconds > 0)) seconds = 0;
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(seconds, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::snapshot() const noexcept {
  Snapshot snapshot;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    total += buckets_[i].load(std::memory_order_relaxed);
    snapshot.up_to[i] = total;
  }
  snapshot.sum = sum_.load(std::memory_order_relaxed);
  return snapshot;
}

template <class Metric>
Family<Metric>::Family(MetricDescription description) : MetricFamily(std::move(description)) {
  if (this->description().labels.empty()) series_.emplace(Values{}, std::make_unique<Metric>());
}

template <class Metric>
Metric& Family<Metric>::with(std::initializer_list<std::string_view> values) {
  assert(values.size() == description().labels.size());
  Values key(values.begin(), values.end());
  const std::scoped_lock lock(mutex_);
  auto found = series_.find(key);
  if (found == series_.end() && series_.size() >= kMaxSeries) {
    key.assign(values.size(), std::string(kOther));
    found = series_.find(key);
  }
  if (found == series_.end()) {
    found = series_.emplace(std::move(key), std::make_unique<Metric>()).first;
  }
  return *found->second;
}

template <class Metric>
void Family<Metric>::render(std::string& out) const {
  const auto& [name, help, labels] = description();
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                 type_name(static_cast<const Metric*>(nullptr)));
  const std::scoped_lock lock(mutex_);
  for (const auto& [values, metric] : series_) {
    render_series(out, {.description = description(), .values = values}, *metric);
  }
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<ReadCounter>;
template class Family<Histogram>;

void append_label_value(std::string& out, std::string_view value) {
  while (!value.empty()) {
    const Utf8Character character = first_utf8_character(value);
    if (!character.valid) {
      out += "\xEF\xBF\xBD";
    } else if (character.code_point == '\n') {
      out += "\\n";
    } else {
      if (character.code_point == '"' || character.code_point == '\\') out += '\\';
      out += value.substr(0, character.size);
    }
    value.remove_prefix(character.size);
  }
}

std::string metric_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace plimsoll
