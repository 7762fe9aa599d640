#include "tally.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::prospector {
namespace {

std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return b > kMost - a ? kMost : a + b;
}

std::uint64_t unsigned_of(std::int64_t number) noexcept {
  return number < 0 ? 0 : static_cast<std::uint64_t>(number);
}

// The row of `key`; `others` when there is none and no room for one.
template <class Key>
Share& row_of(std::map<Key, Share>& table, const Key& key, std::size_t most, Share& others) {
  const auto at = table.find(key);
  if (at != table.end()) return at->second;
  return table.size() < most ? table[key] : others;
}

void add_run(Share& share, const AuditEntry& entry) {
  ++share.runs;
  share.host_calls = plus(share.host_calls, entry.host_calls);
  for (const AdviceFinding& finding : entry.advice) {
    share.by_class.at(static_cast<std::size_t>(class_of(finding.remedy))).add(finding);
  }
}

}  // namespace

FindingClass class_of(AdviceRemedy remedy) noexcept {
  switch (remedy) {
    case AdviceRemedy::kUseGrantedRoute:
    case AdviceRemedy::kReuseAnswer:
      return FindingClass::kCode;
    case AdviceRemedy::kGrantRoute:
      return FindingClass::kOperator;
    case AdviceRemedy::kAskApiOwner:
    case AdviceRemedy::kNone:
      break;
  }
  return FindingClass::kUnknown;
}

void Cost::add(const AdviceFinding& finding) noexcept {
  add(Cost{.findings = 1,
           .extra_calls = unsigned_of(finding.extra_calls),
           .added_latency_ms = unsigned_of(finding.added_latency_ms),
           .bytes_moved = unsigned_of(finding.bytes_moved)});
}

void Cost::add(const Cost& other) noexcept {
  findings = plus(findings, other.findings);
  extra_calls = plus(extra_calls, other.extra_calls);
  added_latency_ms = plus(added_latency_ms, other.added_latency_ms);
  bytes_moved = plus(bytes_moved, other.bytes_moved);
}

Cost Share::all() const noexcept {
  Cost sum;
  for (const Cost& one : by_class) sum.add(one);
  return sum;
}

void Tally::add(const AuditEntry& entry) {
  ++lines;
  ++runs;
  ++outcomes.at(static_cast<std::size_t>(entry.outcome));
  add_run(row_of(days, entry.day, kMaxDaysKept, other_days), entry);
  add_run(row_of(callers, entry.caller, kMaxCallersKept, other_callers), entry);
  if (entry.profile.empty()) return;
  if (entry.outcome != EntryOutcome::kRefused) ++granted_runs;
  host_calls = plus(host_calls, entry.host_calls);
  add_run(row_of(profiles, entry.profile, kMaxProfilesKept, other_profiles), entry);

  Cost said{.findings = entry.findings,
            .extra_calls = entry.extra_calls,
            .added_latency_ms = entry.added_latency_ms,
            .bytes_moved = entry.bytes_moved};
  Cost listed;
  for (const AdviceFinding& finding : entry.advice) listed.add(finding);
  if (!entry.has_advice) said = listed;
  if (said.findings != 0) ++advised_runs;
  total.add(said);
  detailed.add(listed);
  not_detailed = plus(not_detailed, said.findings - std::min(said.findings, listed.findings));

  for (const AdviceFinding& finding : entry.advice) {
    Share& route =
        row_of(routes, finding.method + ' ' + finding.route, kMaxGroupsKept, other_routes);
    ++route.runs;
    route.by_class.at(static_cast<std::size_t>(class_of(finding.remedy))).add(finding);
    GroupKey key(entry.profile, finding.method, finding.route, finding.remedy, finding.grant_route,
                 finding.suggested_route, finding.pattern);
    auto at = groups.find(key);
    if (at == groups.end()) {
      if (groups.size() == kMaxGroupsKept) {
        other_groups.add(finding);
        continue;
      }
      at = groups.emplace(std::move(key), FindingGroup{.largest = finding}).first;
    }
    FindingGroup& group = at->second;
    group.cost.add(finding);
    group.worst = std::max(group.worst, finding.severity);
    if (finding.extra_calls > group.largest.extra_calls) group.largest = finding;
  }
}

void Tally::add_bad(BadLine why, std::string_view input, std::uint64_t line) {
  ++lines;
  ++bad.at(static_cast<std::size_t>(why));
  if (why != BadLine::kNotAudit && examples.size() < kMaxExamples) {
    examples.push_back({.input = std::string(input), .line = line, .why = why});
  }
}

void Tally::add_broken_input(std::string_view input) {
  ++broken_input_count;
  if (broken_inputs.size() < kMaxExamples) broken_inputs.emplace_back(input);
}

std::uint64_t Tally::unreadable() const noexcept {
  return bad[static_cast<std::size_t>(BadLine::kNotJson)] +
         bad[static_cast<std::size_t>(BadLine::kTooLong)] +
         bad[static_cast<std::size_t>(BadLine::kBadField)];
}

}  // namespace plimsoll::prospector
