#include "audit/audit_line.h"

#include <fmt/format.h>

#include <algorithm>

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

void add_result(JsonObject& json, const AuditResult& result) {
  json.number("exit_code", result.exit_code)
      .flag("timed_out", result.timed_out)
      .flag("stdout_truncated", result.stdout_truncated)
      .flag("stderr_truncated", result.stderr_truncated)
      .flag("artifacts_truncated", result.artifacts_truncated)
      .text("record_sha256", result.record_sha256.text())
      .number("advice_kept", result.advice_kept)
      .number("advice_dropped", result.advice_dropped);
}

void add_no_result(JsonObject& json) {
  for (const std::string_view name :
       {"exit_code", "timed_out", "stdout_truncated", "stderr_truncated", "artifacts_truncated",
        "record_sha256", "advice_kept", "advice_dropped"}) {
    json.null(name);
  }
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
