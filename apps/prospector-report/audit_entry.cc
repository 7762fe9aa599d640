#include "audit_entry.h"

#include <simdjson.h>

#include <charconv>
#include <new>
#include <optional>
#include <utility>

#include "audit_input.h"
#include "broker/route.h"
#include "core/wire_names.h"
#include "plimsoll/grant.h"

namespace plimsoll::prospector {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxDepth = 8;

// A field that is missing, or null, leaves what is there; one of another type is a mistake.
bool take(dom::element value, std::string_view& into) {
  return value.is_null() || value.get(into) == simdjson::SUCCESS;
}
bool take(dom::element value, std::uint64_t& into) {
  return value.is_null() || value.get(into) == simdjson::SUCCESS;
}
bool take(dom::element value, bool& into) {
  return value.is_null() || value.get(into) == simdjson::SUCCESS;
}
bool take(dom::element value, std::string& into) {
  std::string_view text = into;
  if (!take(value, text)) return false;
  into = std::string(text);
  return true;
}
template <class Number>
bool take_bounded(dom::element value, Number& into) {
  std::uint64_t number = 0;
  if (!take(value, number) || !std::in_range<Number>(number)) return false;
  into = static_cast<Number>(number);
  return true;
}

template <class Enum>
bool take_name(dom::element value, Enum last, Enum& into) {
  std::string_view name;
  if (value.get(name) != simdjson::SUCCESS) return false;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (to_string(static_cast<Enum>(i)) != name) continue;
    into = static_cast<Enum>(i);
    return true;
  }
  return false;
}

template <class Number>
bool read_digits(std::string_view text, Number& into) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && at == text.data() + text.size();
}

// The day of "2026-11-29T...".
std::optional<std::chrono::sys_days> day_of(std::string_view time) {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (time.size() < 11 || time[4] != '-' || time[7] != '-' || time[10] != 'T') return std::nullopt;
  if (!read_digits(time.substr(0, 4), year) || !read_digits(time.substr(5, 2), month) ||
      !read_digits(time.substr(8, 2), day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(month), std::chrono::day(day));
  if (!date.ok() || year < 1970) return std::nullopt;
  return std::chrono::sys_days(date);
}

bool is_route(std::string_view method, std::string_view route) {
  if (method.size() + route.size() >= kMaxRouteBytes) return false;
  return Route::parse(std::string(method) + ' ' + std::string(route)).has_value();
}

// What a finding says has to be what the advisor can say.
bool holds_together(const AdviceFinding& finding) {
  if (!is_route(finding.method, finding.route)) return false;
  if (finding.remedy == AdviceRemedy::kUseGrantedRoute) {
    return is_route(finding.suggested_method, finding.suggested_route);
  }
  if (finding.remedy == AdviceRemedy::kGrantRoute) {
    return Route::parse(finding.grant_route).has_value();
  }
  return true;
}

bool read_finding(dom::object object, AdviceFinding& finding) {
  bool named[3] = {};
  for (const auto& [key, value] : object) {
    bool good = true;
    if (key == "pattern") {
      good = named[0] = take_name(value, AdvicePattern::kRepeatedRead, finding.pattern);
    } else if (key == "severity") {
      good = named[1] = take_name(value, AdviceSeverity::kHigh, finding.severity);
    } else if (key == "remedy") {
      good = named[2] = take_name(value, AdviceRemedy::kNone, finding.remedy);
    } else if (key == "method") {
      good = take(value, finding.method);
    } else if (key == "route") {
      good = take(value, finding.route);
    } else if (key == "suggested_method") {
      good = take(value, finding.suggested_method);
    } else if (key == "suggested_route") {
      good = take(value, finding.suggested_route);
    } else if (key == "grant_route") {
      good = take(value, finding.grant_route);
    } else if (key == "extra_calls") {
      good = take_bounded(value, finding.extra_calls);
    } else if (key == "added_latency_ms") {
      good = take_bounded(value, finding.added_latency_ms);
    } else if (key == "bytes_moved") {
      good = take_bounded(value, finding.bytes_moved);
    } else if (key == "at_least") {
      good = take(value, finding.at_least);
    }
    if (!good) return false;
  }
  return named[0] && named[1] && named[2] && holds_together(finding);
}

bool read_advice(dom::element value, AuditEntry& entry) {
  if (value.is_null()) return true;
  dom::array findings;
  if (value.get(findings) != simdjson::SUCCESS) return false;
  entry.detailed = true;
  for (const dom::element one : findings) {
    dom::object object;
    AdviceFinding finding;
    if (entry.advice.size() == kMaxFindingsOfLine || one.get(object) != simdjson::SUCCESS ||
        !read_finding(object, finding)) {
      return false;
    }
    entry.advice.push_back(std::move(finding));
  }
  return true;
}

bool read_outcome(std::string_view name, EntryOutcome& outcome) {
  if (name == "ok") {
    outcome = EntryOutcome::kOk;
  } else if (name == "refused") {
    outcome = EntryOutcome::kRefused;
  } else if (name == "failed") {
    outcome = EntryOutcome::kFailed;
  } else if (name == "canceled") {
    outcome = EntryOutcome::kCanceled;
  } else {
    return false;
  }
  return true;
}

// The texts of a line, which outlive the reading of its fields.
struct Words {
  std::string_view time;
  std::string_view stream;
  std::string_view event;
  std::string_view caller;
  std::string_view profile;
  std::string_view outcome;
};

bool read_field(std::string_view key, dom::element value, AuditEntry& entry, Words& words) {
  if (key == "time") return take(value, words.time);
  if (key == "stream") return take(value, words.stream);
  if (key == "event") return take(value, words.event);
  if (key == "caller") return take(value, words.caller);
  if (key == "profile") return take(value, words.profile);
  if (key == "outcome") return take(value, words.outcome);
  if (key == "host_calls") return take(value, entry.host_calls);
  if (!key.starts_with("advice")) return true;
  if (key == "advice") return read_advice(value, entry);
  if (key == "advice_findings") {
    entry.has_advice = !value.is_null();
    return take(value, entry.findings);
  }
  if (key == "advice_extra_calls") return take(value, entry.extra_calls);
  if (key == "advice_added_latency_ms") return take(value, entry.added_latency_ms);
  if (key == "advice_bytes_moved") return take(value, entry.bytes_moved);
  if (key == "advice_dropped") return take(value, entry.advice_dropped);
  return true;
}

}  // namespace

struct EntryReader::Parser {
  dom::parser parser{kMaxLineBytes};
};

EntryReader::EntryReader() : parser_(std::make_unique<Parser>()) {
  if (parser_->parser.allocate(kMaxLineBytes, kMaxDepth) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
}
EntryReader::~EntryReader() = default;
EntryReader::EntryReader(EntryReader&&) noexcept = default;
EntryReader& EntryReader::operator=(EntryReader&&) noexcept = default;

std::expected<AuditEntry, BadLine> EntryReader::read(std::string_view line) {
  if (line.size() > kMaxLineBytes) return std::unexpected(BadLine::kTooLong);
  dom::object object;
  if (parser_->parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) {
    return std::unexpected(BadLine::kNotJson);
  }
  AuditEntry entry;
  Words words;
  bool good = true;
  for (const auto& [key, value] : object) good = read_field(key, value, entry, words) && good;
  if (words.stream != "audit" || words.event != "code_run") {
    return std::unexpected(BadLine::kNotAudit);
  }
  const auto day = day_of(words.time);
  good = good && day && read_outcome(words.outcome, entry.outcome) &&
         words.caller.size() <= kMaxCallerBytes &&
         (words.profile.empty() || WireName::parse(words.profile));
  if (!good) return std::unexpected(BadLine::kBadField);
  entry.day = *day;
  entry.caller = words.caller;
  entry.profile = words.profile;
  return entry;
}

}  // namespace plimsoll::prospector
