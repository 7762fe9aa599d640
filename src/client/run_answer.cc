#include "client/run_answer.h"

#include <fmt/format.h>
#include <plimsoll/v1/sandbox.pb.h>

#include <utility>
#include <vector>

#include "client/parse_message.h"
#include "client/printable.h"
#include "client/wire_advice.h"
#include "client/wire_evidence.h"
#include "core/run_result.h"
#include "record/verify.h"

namespace plimsoll::client {
namespace {

constexpr std::size_t kMaxDetailBytes = 1024;
constexpr std::size_t kMaxTierBytes = 32;

RunRecord to_record(const v1::RunRecord& message) {
  return {.version = message.version(),
          .request_sha256 = message.request_sha256(),
          .result_sha256 = message.result_sha256(),
          .provider = message.provider(),
          .isolation = message.isolation(),
          .environment = message.environment(),
          .policy = message.policy(),
          .software_identity = message.software_identity(),
          .software_rule_id = message.software_rule_id(),
          .started_unix_ms = message.started_unix_ms(),
          .ended_unix_ms = message.ended_unix_ms(),
          .session = message.session(),
          .sequence = message.sequence(),
          .previous_sha256 = message.previous_sha256(),
          .record_sha256 = message.record_sha256()};
}

// A service that does not state the cause leaves what the result itself says.
std::expected<Termination, std::string> to_termination(const v1::JavaScriptResult& message) {
  if (!message.has_termination()) {
    return Termination{
        .cause = message.timed_out() ? TerminationCause::kTimedOut : TerminationCause::kExited,
        .detail = "the service does not state the cause"};
  }
  const int cause = message.termination().cause();
  if (cause < v1::TERMINATION_CAUSE_EXITED || cause > v1::TERMINATION_CAUSE_ENGINE_FAULT) {
    return std::unexpected("its cause of termination is unknown");
  }
  if ((cause == v1::TERMINATION_CAUSE_TIMED_OUT) != message.timed_out()) {
    return std::unexpected("its cause of termination contradicts timed_out");
  }
  return Termination{.cause = static_cast<TerminationCause>(cause),
                     .detail = printable(message.termination().detail(), kMaxDetailBytes)};
}

RunResult to_result(const Outcome& outcome) {
  return JavaScriptResult{.process = {.exit_code = outcome.exit_code,
                                      .timed_out = outcome.timed_out,
                                      .stdout_bytes = outcome.stdout_bytes,
                                      .stderr_bytes = outcome.stderr_bytes,
                                      .stdout_truncated = outcome.stdout_truncated,
                                      .stderr_truncated = outcome.stderr_truncated,
                                      .termination = outcome.termination}};
}

ClientError mismatch(ErrorCode code, std::string message, RunAnswer& answer) {
  ClientError error;
  error.code = code;
  error.message = std::move(message);
  error.answered = std::move(answer.remote);
  return error;
}

// What of the record is not of this request and this answer.
std::vector<std::string> wrong_fields(const RunAnswer& answer, const AskedRun& asked) {
  const RunRecord& record = answer.remote.record;
  std::vector<std::string> wrong =
      record::mismatches(record, asked, to_result(answer.remote.outcome),
                         {.provider = answer.remote.outcome.provider,
                          .isolation = answer.isolation,
                          .environment = answer.remote.environment,
                          .software_identity = answer.remote.software_identity});
  // A single run is of no session.
  if (!record.session.empty() || record.sequence != 0 || !record.previous_sha256.empty()) {
    wrong.emplace_back("session");
  }
  return wrong;
}

}  // namespace

std::expected<RunAnswer, std::string> decode_run_answer(std::string_view bytes) {
  v1::RunResponse message;
  if (!parse_message(bytes, message)) {
    return std::unexpected("it is no RunResponse");
  }
  if (!message.has_javascript()) return std::unexpected("it has no result of a snippet");
  v1::JavaScriptResult& result = *message.mutable_javascript();
  if (result.exit_code() < 0 || result.exit_code() > 255) {
    return std::unexpected("its exit code is none");
  }
  auto termination = to_termination(result);
  if (!termination) return std::unexpected(std::move(termination).error());
  auto evidence = from_wire(message.evidence());
  if (!evidence) return std::unexpected(std::move(evidence).error());
  constexpr std::int64_t kMaxDurationMs = std::int64_t{24} * 3600 * 1000;
  if (message.duration_ms() < 0 || message.duration_ms() > kMaxDurationMs) {
    return std::unexpected("its duration is none");
  }
  return RunAnswer{
      .remote = {.outcome = {.stdout_bytes = std::move(*result.mutable_stdout()),
                             .stderr_bytes = std::move(*result.mutable_stderr()),
                             .stdout_truncated = result.stdout_truncated(),
                             .stderr_truncated = result.stderr_truncated(),
                             .exit_code = result.exit_code(),
                             .timed_out = result.timed_out(),
                             .termination = *std::move(termination),
                             .duration = std::chrono::milliseconds(message.duration_ms()),
                             .provider = message.sandbox(),
                             .evidence = *std::move(evidence),
                             .advice = from_wire(result.advice())},
                 .record = to_record(message.record()),
                 .environment = message.environment(),
                 .software_identity = message.software_identity()},
      .has_record = message.has_record(),
      .has_evidence = message.has_evidence(),
      .isolation = message.isolation()};
}

std::optional<ClientError> refute(RunAnswer& answer, const AskedRun& asked, Isolation floor) {
  if (!answer.has_record) {
    return mismatch(ErrorCode::kRecordMismatch, "the answer has no record", answer);
  }
  if (const auto wrong = wrong_fields(answer, asked); !wrong.empty()) {
    return mismatch(ErrorCode::kRecordMismatch,
                    fmt::format("the answer's record is not of this request and this answer: {}",
                                fmt::join(wrong, ", ")),
                    answer);
  }
  if (!answer.has_evidence) {
    return mismatch(ErrorCode::kEvidenceMismatch, "the answer has no evidence", answer);
  }
  const Isolation tier = answer.remote.outcome.evidence.tier;
  if (to_string(tier) != answer.isolation) {
    return mismatch(ErrorCode::kEvidenceMismatch,
                    fmt::format("the evidence is of the tier {}, but the answer says {}",
                                to_string(tier), printable(answer.isolation, kMaxTierBytes)),
                    answer);
  }
  if (!meets(tier, floor)) {
    return mismatch(ErrorCode::kEvidenceMismatch,
                    fmt::format("the code ran behind the tier {}; the floor is {}", to_string(tier),
                                to_string(floor)),
                    answer);
  }
  return std::nullopt;
}

}  // namespace plimsoll::client
