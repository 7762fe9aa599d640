#include "rpc/wire_messages.h"

#include <google/rpc/error_details.pb.h>
#include <plimsoll/v1/sandbox.pb.h>

#include <string>
#include <utility>

#include "plimsoll/isolation.h"

namespace plimsoll::rpc {

namespace {

std::vector<ProjectFile> to_files(const auto& messages) {
  std::vector<ProjectFile> files;
  files.reserve(static_cast<std::size_t>(messages.size()));
  for (const v1::ProjectFile& file : messages) {
    files.push_back({.path = file.path(), .content = file.content()});
  }
  return files;
}

RunPayload to_payload(const v1::RunRequest& message) {
  switch (message.payload_case()) {
    case v1::RunRequest::kJavascript:
      return JavaScriptRun{.code = message.javascript().code(),
                           .grant_profile = message.javascript().grant_profile()};
    case v1::RunRequest::kProject: {
      const v1::ProjectRun& project = message.project();
      return ProjectRun{.files = to_files(project.files()),
                        .steps = {project.steps().begin(), project.steps().end()},
                        .artifacts = {project.artifacts().begin(), project.artifacts().end()},
                        .grant_profile = project.grant_profile()};
    }
    case v1::RunRequest::kModule: {
      ModuleRun run{.model = message.module().model(),
                    .rows = {},
                    .end_time = message.module().end_time(),
                    .step = message.module().step()};
      for (const v1::ModuleRow& row : message.module().rows()) {
        run.rows.emplace_back(row.values().begin(), row.values().end());
      }
      return run;
    }
    case v1::RunRequest::kCell:
      return CellRun{.language = message.cell().language(),
                     .code = message.cell().code(),
                     .files = to_files(message.cell().files())};
    case v1::RunRequest::PAYLOAD_NOT_SET:
      break;
  }
  return {};
}

void fill_evidence(const IsolationEvidence& evidence, v1::IsolationEvidence& message) {
  message.set_tier(std::string(to_string(evidence.tier)));
  for (const EvidenceFact& fact : evidence.facts) {
    v1::EvidenceFact* out = message.add_facts();
    out->set_name(fact.name);
    out->set_value(fact.value);
    out->set_basis(static_cast<v1::EvidenceBasis>(fact.basis));
    out->set_observed_unix_ms(fact.observed_unix_ms);
  }
}

void fill_record(const record::RunRecord& record, v1::RunRecord& message) {
  message.set_version(record.version);
  message.set_request_sha256(record.request_sha256);
  message.set_result_sha256(record.result_sha256);
  message.set_provider(record.provider);
  message.set_isolation(record.isolation);
  message.set_environment(record.environment);
  message.set_policy(record.policy);
  message.set_started_unix_ms(record.started_unix_ms);
  message.set_ended_unix_ms(record.ended_unix_ms);
  message.set_session(record.session);
  message.set_sequence(record.sequence);
  message.set_previous_sha256(record.previous_sha256);
  message.set_record_sha256(record.record_sha256);
  message.set_software_identity(record.software_identity);
  message.set_software_rule_id(record.software_rule_id);
}

void fill_javascript(const JavaScriptResult& result, v1::JavaScriptResult& message) {
  const ProcessResult& process = result.process;
  message.set_stdout(process.stdout_bytes);
  message.set_stderr(process.stderr_bytes);
  message.set_exit_code(process.exit_code);
  message.set_timed_out(process.timed_out);
  message.set_stdout_truncated(process.stdout_truncated);
  message.set_stderr_truncated(process.stderr_truncated);
  message.mutable_termination()->set_cause(
      static_cast<v1::TerminationCause>(process.termination.cause));
  message.mutable_termination()->set_detail(process.termination.detail);
}

void fill_advice(const AdviceFinding& finding, v1::AdviceFinding& message) {
  message.set_pattern(std::string(to_string(finding.pattern)));
  message.set_severity(std::string(to_string(finding.severity)));
  message.set_remedy(std::string(to_string(finding.remedy)));
  message.set_method(finding.method);
  message.set_route(finding.route);
  message.set_detail(finding.detail);
  message.set_suggested_method(finding.suggested_method);
  message.set_suggested_route(finding.suggested_route);
  message.set_extra_calls(finding.extra_calls);
  message.set_added_latency_ms(finding.added_latency_ms);
  message.set_bytes_moved(finding.bytes_moved);
}

Code to_code(FailureCode code) noexcept {
  switch (code) {
    case FailureCode::kInvalidArgument:
      return Code::kInvalidArgument;
    case FailureCode::kPermissionDenied:
      return Code::kPermissionDenied;
    case FailureCode::kUnauthenticated:
      return Code::kUnauthenticated;
    case FailureCode::kResourceExhausted:
      return Code::kResourceExhausted;
    case FailureCode::kFailedPrecondition:
      return Code::kFailedPrecondition;
    case FailureCode::kUnimplemented:
      return Code::kUnimplemented;
    case FailureCode::kUnavailable:
      return Code::kUnavailable;
    case FailureCode::kCanceled:
      return Code::kCanceled;
    case FailureCode::kDeadlineExceeded:
      return Code::kDeadlineExceeded;
    case FailureCode::kInternal:
      break;
  }
  return Code::kInternal;
}

void add_detail(const google::protobuf::Message& message, Status& status) {
  status.details.push_back(
      {.type = message.GetDescriptor()->full_name(), .value = message.SerializeAsString()});
}

}  // namespace

AskedRun to_asked_run(const v1::RunRequest& message) {
  return {.protocol = message.protocol(),
          .minimum_isolation = message.minimum_isolation(),
          .timeout_ms = message.timeout_ms(),
          .software_rule = {.mode = message.software_rule().mode(),
                            .identities = {message.software_rule().identities().begin(),
                                           message.software_rule().identities().end()}},
          .payload = to_payload(message)};
}

void fill_response(const RunAnswer& answer, v1::RunResponse& message) {
  message.set_sandbox(answer.provider);
  message.set_isolation(std::string(to_string(answer.isolation)));
  message.set_duration_ms(answer.duration.count());
  message.set_software_identity(answer.software_identity);
  message.set_environment(answer.environment);
  fill_record(answer.record, *message.mutable_record());
  fill_evidence(answer.evidence, *message.mutable_evidence());
  if (const auto* javascript = std::get_if<JavaScriptResult>(&answer.result)) {
    fill_javascript(*javascript, *message.mutable_javascript());
    for (const AdviceFinding& finding : answer.advice) {
      fill_advice(finding, *message.mutable_javascript()->add_advice());
    }
  }
}

void fill_description(const ServiceDescription& offer, v1::DescribeResponse& message) {
  message.set_sandbox(offer.provider);
  message.set_isolation(std::string(to_string(offer.evidence.tier)));
  message.set_supports_project(offer.info.runs_projects);
  message.set_supports_javascript_grants(offer.javascript_grants);
  message.set_protocol(kWireProtocol);
  message.set_policy(offer.policy);
  if (offer.info.runs_javascript) {
    v1::PayloadEnvironment* javascript = message.mutable_javascript_environment();
    javascript->set_identity(offer.info.environment);
    javascript->set_software_identity(offer.info.software_identity);
    javascript->set_max_timeout_ms(static_cast<std::uint32_t>(offer.max_timeout.count()));
    for (const std::string& language : offer.info.languages) javascript->add_languages(language);
  }
  v1::RunResources* resources = message.mutable_resources();
  resources->set_memory_mb(offer.info.memory_mb);
  resources->set_cpus(offer.info.cpus);
  resources->set_pids(offer.info.pids);
  resources->set_disk_mb(offer.info.disk_mb);
  fill_evidence(offer.evidence, *message.mutable_evidence());
}

void mark_not_dispatched(NotDispatchedReason reason, Status& status) {
  v1::NotDispatched detail;
  detail.set_reason(static_cast<v1::NotDispatchedReason>(reason));
  add_detail(detail, status);
}

Status to_status(const RunFailure& failure) {
  Status status;
  status.code = to_code(failure.code);
  status.message = failure.message;
  if (failure.not_dispatched) mark_not_dispatched(*failure.not_dispatched, status);
  if (failure.retry_after) {
    google::rpc::RetryInfo retry;
    const auto wait = *failure.retry_after;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    retry.mutable_retry_delay()->set_seconds(seconds.count());
    retry.mutable_retry_delay()->set_nanos(
        static_cast<std::int32_t>(std::chrono::nanoseconds(wait - seconds).count()));
    add_detail(retry, status);
    status.retry_after = std::chrono::ceil<std::chrono::seconds>(wait);
  }
  return status;
}

}  // namespace plimsoll::rpc
