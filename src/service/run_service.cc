#include "service/run_service.h"

#include <memory>
#include <utility>

#include "broker/broker.h"
#include "plimsoll/advisor.h"
#include "service/answer.h"
#include "service/audit_words.h"
#include "service/run_stages.h"

namespace plimsoll {

namespace {

RunFailure audit_stalled() {
  return {.code = FailureCode::kUnavailable,
          .message = "the audit stream does not take lines; nothing runs without one",
          .not_dispatched = NotDispatchedReason::kCapacity,
          .retry_after = std::chrono::seconds(1),
          .refusal = AuditRefusal::kAuditStalled};
}

// Null: the run was granted no API.
Result<std::unique_ptr<Broker>> broker_for(const ClearedRun& run, const Clock& clock) {
  const RunRequest& request = run.request();
  if (!request.grant) return std::unique_ptr<Broker>();
  // The run holds its slot: it waits for no more than the making of a worker.
  constexpr std::chrono::seconds kWorker{1};
  return open_broker(*request.grant,
                     {.caller = request.caller, .deadline = clock.now() + run.timeout() + kWorker},
                     clock);
}

// What is found in the calls of a granted run: for the audit line, and the caller's part of it for
// the answer.
void advise(const ValidatedRun& run, const CallTrace& calls, RunAnswer& answer,
            AuditAdvice& advice) {
  const Grant& grant = *run.request().grant;
  if (grant.config().advice == Advice::kOff) return;
  advice = {.sought = true,
            .retention = run.advice_retention(),
            .findings = advisor::advise(calls, grant)};
  if (grant.config().advice == Advice::kCaller) {
    answer.advice = advisor::for_caller(advice.findings);
  }
}

RunFailure draining() {
  return {.code = FailureCode::kUnavailable,
          .message = "the service is stopping and takes no new runs; nothing ran",
          .not_dispatched = NotDispatchedReason::kCapacity,
          .retry_after = std::chrono::seconds(1),
          .refusal = AuditRefusal::kDraining};
}

}  // namespace

RunFailure scope_missing() {
  return {.code = FailureCode::kPermissionDenied,
          .message = "this caller may not run code: it lacks the scope code:run",
          .not_dispatched = NotDispatchedReason::kPermission,
          .retry_after = std::nullopt,
          .refusal = AuditRefusal::kScope};
}

RunService::RunService(RunServiceParts parts) : parts_(std::move(parts)) {}

RunReply RunService::run(const Authenticated& caller, const RunCall& call) {
  AuditLine line = begin_line(caller, call);
  AuditAdvice advice;
  RunReply reply = dispatch(caller, call, line, advice);
  if (const auto* failure = std::get_if<RunFailure>(&reply)) {
    tell_failure(line, *failure);
    // Attempts that another check refused are charged as well, or probing would be free.
    const bool charged = failure->refusal == AuditRefusal::kRate ||
                         failure->refusal == AuditRefusal::kConcurrency ||
                         failure->refusal == AuditRefusal::kDraining;
    if (failure->not_dispatched && !charged) parts_.admission->charge_refused(caller.caller());
  } else {
    tell_answer(line, std::get<RunAnswer>(reply));
    line.result->advice = std::move(advice);
  }
  line.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(parts_.clock->now() - call.arrived);
  audit(std::move(line));
  return reply;
}

// The order of the contract. Each step's proof is what the next one takes.
RunReply RunService::dispatch(const Authenticated& caller, const RunCall& call, AuditLine& line,
                              AuditAdvice& advice) {
  const auto may_run = may_run_code(caller);
  if (!may_run) return scope_missing();

  auto validated = validate(*may_run, call, *parts_.provider, parts_.grant_of, *parts_.clock);
  if (!validated) return std::move(validated).error();

  auto cleared = clear(*validated, *parts_.provider, parts_.minimum_isolation);
  if (!cleared) return std::move(cleared).error();

  if (parts_.draining != nullptr && *parts_.draining) return draining();
  if (!parts_.audit->accepts()) return audit_stalled();
  auto admitted = admit(*cleared, call, *parts_.admission, *parts_.clock);
  if (!admitted) return std::move(admitted).error();

  // Mints the credential for this very run: late, since it is short-lived.
  auto broker = broker_for(*cleared, *parts_.clock);
  if (!broker) return failure_of(broker.error(), call, parts_.clock->now());

  // From here on it may have run: no failure says otherwise, but the provider's own word that it
  // did not come to a dispatch.
  const Clock::Wall started = parts_.clock->wall_now();
  auto outcome = parts_.provider->run(admitted->cleared(), broker->get(), call.stop);
  if (*broker != nullptr) {
    (*broker)->close();
    tell_calls(line, (*broker)->trace());
  }
  if (!outcome) return failure_of(outcome.error(), call, parts_.clock->now());
  line.tier = outcome->evidence.tier;
  RunAnswer answer =
      make_answer(call.asked, *std::move(outcome), parts_.provider->info(),
                  {.policy = parts_.policy, .started = started, .ended = parts_.clock->wall_now()});
  // The answer and its record are complete: advice adds to them and changes nothing.
  if (*broker != nullptr) advise(*validated, (*broker)->trace(), answer, advice);
  return answer;
}

ServiceDescription RunService::describe() const {
  return {.provider = std::string(parts_.provider->id()),
          .policy = parts_.policy,
          .info = parts_.provider->info(),
          .max_timeout = parts_.provider->limits().max_timeout,
          .javascript_grants = parts_.grant_of && parts_.provider->info().javascript_grants,
          .evidence = parts_.provider->current_evidence().value_or(IsolationEvidence{})};
}

void RunService::refused(const Authenticated* caller, const RunFailure& failure) {
  AuditLine line;
  if (caller != nullptr) {
    line.caller = caller->caller();
    parts_.admission->charge_refused(line.caller);
  }
  tell_failure(line, failure);
  audit(std::move(line));
}

void RunService::audit(AuditLine line) const {
  line.time = parts_.clock->wall_now();
  line.provider = WireName::parse(parts_.provider->id()).value_or(WireName());
  if (line.tier == Isolation::kUnknown) {
    if (const auto evidence = parts_.provider->current_evidence()) line.tier = evidence->tier;
  }
  parts_.metrics->count(line);
  parts_.audit->write(line);
}

}  // namespace plimsoll
