// The answer of an honest service to a request, for a test to tamper with. For tests only.
#pragma once

#include <plimsoll/v1/sandbox.pb.h>

#include <stdexcept>
#include <string>

#include "record/run_record.h"

namespace plimsoll::client {

// What was asked, as the service's side of the wire sees it.
inline AskedRun asked_of(const v1::RunRequest& request) {
  return {.protocol = request.protocol(),
          .minimum_isolation = request.minimum_isolation(),
          .timeout_ms = request.timeout_ms(),
          .payload = JavaScriptRun{.code = request.javascript().code(),
                                   .grant_profile = request.javascript().grant_profile()}};
}

// Makes the record of `answer` anew: of what it says now.
inline void sign(v1::RunResponse& answer, const AskedRun& asked) {
  const v1::JavaScriptResult& result = answer.javascript();
  const RunRecord record = record::complete(
      {.provider = answer.sandbox(),
       .isolation = answer.isolation(),
       .environment = answer.environment(),
       .policy = "standard",
       .software_identity = answer.software_identity(),
       .started_unix_ms = 1'700'000'000'000,
       .ended_unix_ms = 1'700'000'000'001},
      asked,
      JavaScriptResult{.process = {.exit_code = result.exit_code(),
                                   .timed_out = result.timed_out(),
                                   .stdout_bytes = result.stdout(),
                                   .stderr_bytes = result.stderr(),
                                   .stdout_truncated = result.stdout_truncated(),
                                   .stderr_truncated = result.stderr_truncated()}});
  v1::RunRecord& out = *answer.mutable_record();
  out.set_version(record.version);
  out.set_request_sha256(record.request_sha256);
  out.set_result_sha256(record.result_sha256);
  out.set_provider(record.provider);
  out.set_isolation(record.isolation);
  out.set_environment(record.environment);
  out.set_policy(record.policy);
  out.set_started_unix_ms(record.started_unix_ms);
  out.set_ended_unix_ms(record.ended_unix_ms);
  out.set_software_identity(record.software_identity);
  out.set_software_rule_id(record.software_rule_id);
  out.set_record_sha256(record.record_sha256);
}

inline v1::RunResponse honest_answer(const AskedRun& asked) {
  v1::RunResponse answer;
  answer.set_sandbox("wasm");
  answer.set_isolation("process");
  answer.set_duration_ms(1);
  answer.set_environment("quickjs-wasm:sha256:00");
  answer.set_software_identity("quickjs-wasm:sha256:00");
  v1::JavaScriptResult& result = *answer.mutable_javascript();
  result.set_stdout("42\n");
  result.set_stderr(std::string("\0\xff", 2));
  result.set_exit_code(3);
  result.mutable_termination()->set_cause(v1::TERMINATION_CAUSE_EXITED);
  v1::IsolationEvidence& evidence = *answer.mutable_evidence();
  evidence.set_tier("process");
  v1::EvidenceFact& fact = *evidence.add_facts();
  fact.set_name("seccomp");
  fact.set_value("2");
  fact.set_basis(v1::EVIDENCE_BASIS_MEASURED);
  fact.set_observed_unix_ms(5);
  sign(answer, asked);
  return answer;
}

inline v1::RunResponse honest_answer(const std::string& request_bytes) {
  v1::RunRequest request;
  if (!request.ParseFromString(request_bytes)) throw std::runtime_error("no RunRequest");
  return honest_answer(asked_of(request));
}

}  // namespace plimsoll::client
