#include "service/answer.h"

#include <utility>

#include "plimsoll/isolation.h"

namespace plimsoll {

namespace {

std::int64_t unix_ms(Clock::Wall time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

FailureCode code_of(const Error& error, const RunCall& call, Clock::Monotonic now) {
  switch (error.code) {
    case ErrorCode::kInvalidRequest:
      return FailureCode::kInvalidArgument;
    case ErrorCode::kDisabled:
    case ErrorCode::kIsolation:
      return FailureCode::kFailedPrecondition;
    case ErrorCode::kUnsupported:
      return FailureCode::kUnimplemented;
    case ErrorCode::kCapacity:
      return FailureCode::kResourceExhausted;
    case ErrorCode::kNotReady:
      return FailureCode::kUnavailable;
    case ErrorCode::kCanceled:
      return call.deadline && now >= *call.deadline ? FailureCode::kDeadlineExceeded
                                                    : FailureCode::kCanceled;
    case ErrorCode::kInvalidConfig:
    case ErrorCode::kInfrastructure:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermission:
    case ErrorCode::kUnreachable:
    case ErrorCode::kRecordMismatch:
    case ErrorCode::kEvidenceMismatch:
      break;  // not of a provider here
  }
  return FailureCode::kInternal;
}

AuditRefusal refusal_of(const Error& error) {
  if (!error.not_dispatched) return AuditRefusal::kNone;
  switch (error.code) {
    case ErrorCode::kIsolation:
      return AuditRefusal::kIsolation;
    case ErrorCode::kCapacity:
    case ErrorCode::kCanceled:
      return AuditRefusal::kConcurrency;
    case ErrorCode::kInvalidRequest:
      return AuditRefusal::kInvalidRequest;
    default:
      return AuditRefusal::kNotReady;
  }
}

// What a snippet's and a project's answer have in common; `ended` gives its evidence away.
template <class Ended>
RunAnswer begin_answer(Ended& ended) {
  RunAnswer answer;
  answer.provider = std::move(ended.provider);
  answer.isolation = ended.evidence.tier;
  answer.duration = std::chrono::duration_cast<std::chrono::milliseconds>(ended.duration);
  answer.evidence = std::move(ended.evidence);
  return answer;
}

void add_record(RunAnswer& answer, const AskedRun& asked, const RecordFacts& facts) {
  record::RunRecord record;
  record.provider = answer.provider;
  record.isolation = std::string(to_string(answer.isolation));
  record.environment = answer.environment;
  record.policy = facts.policy;
  record.software_identity = answer.software_identity;
  record.started_unix_ms = unix_ms(facts.started);
  record.ended_unix_ms = unix_ms(facts.ended);
  answer.record = record::complete(std::move(record), asked, answer.result);
}

}  // namespace

RunAnswer make_answer(const AskedRun& asked, Outcome outcome, const ProviderInfo& info,
                      const RecordFacts& facts) {
  RunAnswer answer = begin_answer(outcome);
  answer.environment = info.environment;
  answer.software_identity = info.software_identity;
  answer.result = JavaScriptResult{.process = {.exit_code = outcome.exit_code,
                                               .timed_out = outcome.timed_out,
                                               .stdout_bytes = std::move(outcome.stdout_bytes),
                                               .stderr_bytes = std::move(outcome.stderr_bytes),
                                               .stdout_truncated = outcome.stdout_truncated,
                                               .stderr_truncated = outcome.stderr_truncated,
                                               .termination = std::move(outcome.termination)}};
  add_record(answer, asked, facts);
  return answer;
}

RunAnswer make_answer(const AskedRun& asked, ProjectAnswer ended, const ProviderInfo& info,
                      const RecordFacts& facts) {
  RunAnswer answer = begin_answer(ended);
  answer.environment = info.project_environment;
  answer.software_identity = info.project_software_identity;
  answer.result = std::move(ended.result);
  add_record(answer, asked, facts);
  return answer;
}

RunFailure failure_of(const Error& error, const RunCall& call, Clock::Monotonic now) {
  return {.code = code_of(error, call, now),
          .message = error.message,
          .not_dispatched = error.not_dispatched,
          .retry_after = std::nullopt,
          .refusal = refusal_of(error)};
}

}  // namespace plimsoll
