#include "service/audit_words.h"

#include <variant>

namespace plimsoll {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

std::uint64_t bytes_of(const std::vector<ProjectFile>& files) {
  std::uint64_t bytes = 0;
  for (const ProjectFile& file : files) bytes += file.content.size();
  return bytes;
}

WireName profile_name(const std::string& text) {
  return WireName::parse(text).value_or(WireName());
}

AuditRequest request_of(const AskedRun& asked) {
  AuditRequest request;
  request.floor = parse_isolation(asked.minimum_isolation).value_or(Isolation::kNone);
  std::visit(Overloaded{[](const std::monostate&) {},
                        [&](const JavaScriptRun& run) {
                          request.kind = AuditKind::kJavascript;
                          request.code_bytes = run.code.size();
                          request.profile = profile_name(run.grant_profile);
                        },
                        [&](const ProjectRun& run) {
                          request.kind = AuditKind::kProject;
                          request.file_count = run.files.size();
                          request.file_bytes = bytes_of(run.files);
                          request.step_count = run.steps.size();
                          request.artifact_count = run.artifacts.size();
                          request.profile = profile_name(run.grant_profile);
                        },
                        [&](const ModuleRun& run) {
                          request.kind = AuditKind::kModule;
                          request.row_count = run.rows.size();
                        },
                        [&](const CellRun& run) {
                          request.kind = AuditKind::kCell;
                          request.code_bytes = run.code.size();
                          request.file_count = run.files.size();
                          request.file_bytes = bytes_of(run.files);
                        }},
             asked.payload);
  return request;
}

}  // namespace

AuditLine begin_line(const Authenticated& caller, const RunCall& call) {
  AuditLine line;
  line.caller = caller.caller();
  line.trace_id = TraceId::parse(call.trace_id).value_or(TraceId());
  line.trace_id_rejected = !call.trace_id.empty() && line.trace_id.text().empty();
  line.request = request_of(call.asked);
  return line;
}

void tell_failure(AuditLine& line, const RunFailure& failure) {
  line.refusal = failure.refusal;
  if (failure.code == FailureCode::kCanceled || failure.code == FailureCode::kDeadlineExceeded) {
    line.outcome = AuditOutcome::kCanceled;
  } else {
    line.outcome = failure.not_dispatched ? AuditOutcome::kRefused : AuditOutcome::kFailed;
  }
}

void tell_calls(AuditLine& line, const CallTrace& calls) {
  line.calls = {.made = calls.rows.size() + calls.dropped,
                .denied = calls.denied,
                .shed = calls.shed + calls.over_budget,
                .dropped = calls.dropped,
                .breaker_openings = calls.breaker_openings};
}

void tell_answer(AuditLine& line, const RunAnswer& answer) {
  line.outcome = AuditOutcome::kOk;
  AuditResult result;
  result.record_sha256 = AuditDigest::parse(answer.record.record_sha256).value_or(AuditDigest());
  if (const auto* javascript = std::get_if<JavaScriptResult>(&answer.result)) {
    result.exit_code = javascript->process.exit_code;
    result.timed_out = javascript->process.timed_out;
    result.stdout_truncated = javascript->process.stdout_truncated;
    result.stderr_truncated = javascript->process.stderr_truncated;
  }
  line.result = result;
}

}  // namespace plimsoll
