#include "audit/audit_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "audit/json_object.h"

namespace plimsoll {
namespace {

void add_request(JsonObject& json, const AuditRequest& request) {
  json.text("kind", to_string(request.kind))
      .number("code_bytes", request.code_bytes)
      .number("file_count", request.file_count)
      .number("file_bytes", request.file_bytes)
      .number("step_count", request.step_count)
      .number("artifact_count", request.artifact_count)
      .number("row_count", request.row_count)
      .text("profile", request.profile.text())
      .text("floor", to_string(request.floor));
}

constexpr std::string_view kAdviceFields[] = {"advice_findings", "advice_extra_calls",
                                              "advice_added_latency_ms", "advice_bytes_moved"};

std::string finding_json(const AdviceFinding& finding) {
  JsonObject json;
  json.text("pattern", to_string(finding.pattern))
      .text("severity", to_string(finding.severity))
      .text("remedy", to_string(finding.remedy))
      .text("method", finding.method)
      .text("route", finding.route)
      .text("suggested_method", finding.suggested_method)
      .text("suggested_route", finding.suggested_route)
      .text("grant_route", finding.grant_route)
      .number("extra_calls", finding.extra_calls)
      .number("added_latency_ms", finding.added_latency_ms)
      .number("bytes_moved", finding.bytes_moved)
      .flag("at_least", finding.at_least);
  return json.take();
}

std::int64_t plus(std::int64_t sum, std::int64_t more) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return more > kMost - sum ? kMost : sum + std::max<std::int64_t>(more, 0);
}

// The last fields of the line, since how much of them there is room for depends on all others.
void add_advice(JsonObject& json, const AuditAdvice& advice) {
  if (!advice.sought || advice.retention == AdviceRetention::kNone) {
    for (const std::string_view name : kAdviceFields) json.null(name);
    json.null("advice_dropped").null("advice");
    return;
  }
  std::int64_t extra_calls = 0;
  std::int64_t latency = 0;
  std::int64_t bytes = 0;
  for (const AdviceFinding& finding : advice.findings) {
    extra_calls = plus(extra_calls, finding.extra_calls);
    latency = plus(latency, finding.added_latency_ms);
    bytes = plus(bytes, finding.bytes_moved);
  }
  json.number(kAdviceFields[0], advice.findings.size())
      .number(kAdviceFields[1], extra_calls)
      .number(kAdviceFields[2], latency)
      .number(kAdviceFields[3], bytes);
  if (advice.retention == AdviceRetention::kAggregate) {
    json.number("advice_dropped", 0).null("advice");
    return;
  }
  constexpr std::string_view kRest = R"(,"advice_dropped":99,"advice":[]}n)";
  static_assert(kMaxAdviceFindings <= 99);
  std::size_t dropped = 0;
  std::string kept;
  for (const AdviceFinding& finding : advice.findings) {
    const std::string text = finding_json(finding);
    if (json.size() + kRest.size() + kept.size() + 1 + text.size() > kMaxAuditLineBytes) {
      ++dropped;
      continue;
    }
    if (!kept.empty()) kept += ',';
    kept += text;
  }
  json.number("advice_dropped", dropped).json("advice", "[" + kept + "]");
}

void add_result(JsonObject& json, const AuditResult& result) {
  json.number("exit_code", result.exit_code)
      .flag("timed_out", result.timed_out)
      .flag("stdout_truncated", result.stdout_truncated)
      .flag("stderr_truncated", result.stderr_truncated)
      .flag("artifacts_truncated", result.artifacts_truncated)
      .text("record_sha256", result.record_sha256.text());
  add_advice(json, result.advice);
}

void add_no_result(JsonObject& json) {
  for (const std::string_view name : {"exit_code", "timed_out", "stdout_truncated",
                                      "stderr_truncated", "artifacts_truncated", "record_sha256"}) {
    json.null(name);
  }
  add_advice(json, {});
}

}  // namespace

std::optional<AuditDigest> AuditDigest::parse(std::string_view hex) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (hex.size() != 64 || !std::ranges::all_of(hex, is_digit)) return std::nullopt;
  AuditDigest digest;
  digest.text_ = hex;
  return digest;
}

std::string to_rfc3339(std::chrono::system_clock::time_point time) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string to_json_line(const AuditLine& line) {
  JsonObject json;
  json.text("time", to_rfc3339(line.time))
      .text("stream", "audit")
      .text("event", "code_run")
      .text("caller", std::string_view(line.caller).substr(0, kMaxAuditCallerBytes))
      .text("trace_id", line.trace_id.text())
      .flag("trace_id_rejected", line.trace_id_rejected);
  add_request(json, line.request);
  json.text("provider", line.provider.text())
      .text("tier", to_string(line.tier))
      .text("outcome", to_string(line.outcome))
      .text("refusal", line.refusal == AuditRefusal::kNone ? "" : to_string(line.refusal))
      .number("duration_us", line.duration.count())
      .number("host_calls", line.calls.made)
      .number("host_calls_denied", line.calls.denied)
      .number("host_calls_shed", line.calls.shed)
      .number("host_calls_dropped", line.calls.dropped);
  if (line.result) {
    add_result(json, *line.result);
  } else {
    add_no_result(json);
  }
  return json.take() + "\n";
}

std::string_view to_string(AuditKind kind) noexcept {
  switch (kind) {
    case AuditKind::kUnknown:
      return "unknown";
    case AuditKind::kJavascript:
      return "javascript";
    case AuditKind::kProject:
      return "project";
    case AuditKind::kModule:
      return "module";
    case AuditKind::kCell:
      return "cell";
  }
  return "unknown";
}

std::string_view to_string(AuditOutcome outcome) noexcept {
  switch (outcome) {
    case AuditOutcome::kOk:
      return "ok";
    case AuditOutcome::kRefused:
      return "refused";
    case AuditOutcome::kFailed:
      return "failed";
    case AuditOutcome::kCanceled:
      return "canceled";
  }
  return "failed";
}

std::string_view to_string(AuditRefusal refusal) noexcept {
  switch (refusal) {
    case AuditRefusal::kNone:
      return "none";
    case AuditRefusal::kUnauthenticated:
      return "unauthenticated";
    case AuditRefusal::kScope:
      return "scope";
    case AuditRefusal::kDecode:
      return "decode";
    case AuditRefusal::kProtocol:
      return "protocol";
    case AuditRefusal::kInvalidRequest:
      return "invalid_request";
    case AuditRefusal::kGrantProfile:
      return "grant_profile";
    case AuditRefusal::kUnsupported:
      return "unsupported";
    case AuditRefusal::kSoftwareRule:
      return "software_rule";
    case AuditRefusal::kIsolation:
      return "isolation";
    case AuditRefusal::kRate:
      return "rate";
    case AuditRefusal::kConcurrency:
      return "concurrency";
    case AuditRefusal::kNotReady:
      return "not_ready";
    case AuditRefusal::kDraining:
      return "draining";
    case AuditRefusal::kAuditStalled:
      return "audit_stalled";
  }
  return "none";
}

}  // namespace plimsoll
