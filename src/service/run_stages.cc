#include "service/run_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "core/wire_validation.h"

namespace plimsoll {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::unexpected<RunFailure> refuse(FailureCode code, NotDispatchedReason reason,
                                   AuditRefusal refusal, std::string message) {
  return std::unexpected(RunFailure{.code = code,
                                    .message = std::move(message),
                                    .not_dispatched = reason,
                                    .retry_after = std::nullopt,
                                    .refusal = refusal});
}

std::optional<std::unexpected<RunFailure>> protocol_mismatch(std::uint32_t protocol) {
  if (protocol == kWireProtocol) return std::nullopt;
  if (protocol == 0) {
    return refuse(FailureCode::kInvalidArgument, NotDispatchedReason::kRequest,
                  AuditRefusal::kProtocol,
                  fmt::format("the request states no protocol number; this service speaks {}",
                              kWireProtocol));
  }
  return refuse(FailureCode::kUnimplemented, NotDispatchedReason::kProtocol,
                AuditRefusal::kProtocol,
                fmt::format("protocol {} is not spoken here; this service speaks {}", protocol,
                            kWireProtocol));
}

const std::string& grant_profile_of(const RunPayload& payload) {
  static const std::string kNone;
  if (const auto* javascript = std::get_if<JavaScriptRun>(&payload)) {
    return javascript->grant_profile;
  }
  if (const auto* project = std::get_if<ProjectRun>(&payload)) return project->grant_profile;
  return kNone;
}

bool software_is_right(const SoftwareRule& rule, const std::string& identity) {
  if (rule.mode.empty()) return true;
  return !identity.empty() && std::ranges::find(rule.identities, identity) != rule.identities.end();
}

// The smallest of what the caller asked for, the client's deadline and the ceiling; at least 1 ms.
Millis timeout_of(const RunCall& call, Millis ceiling, Clock::Monotonic now) {
  Millis timeout = call.asked.timeout_ms > 0 ? Millis(call.asked.timeout_ms) : kDefaultTimeout;
  timeout = std::min(timeout, ceiling);
  if (call.deadline) {
    timeout = std::min(timeout, duration_cast<milliseconds>(*call.deadline - now));
  }
  return std::max(timeout, Millis(1));
}

RunFailure from_admission(const AdmissionRefusal& refusal) {
  Error error = to_error(refusal);
  const bool draining = refusal.reason == NotAdmitted::kClosed;
  return {.code = draining ? FailureCode::kUnavailable : FailureCode::kResourceExhausted,
          .message = std::move(error.message),
          .not_dispatched = NotDispatchedReason::kCapacity,
          .retry_after = refusal.retry_after,
          .refusal = draining                               ? AuditRefusal::kDraining
                     : refusal.reason == NotAdmitted::kRate ? AuditRefusal::kRate
                                                            : AuditRefusal::kConcurrency};
}

// What the admission's callback fills in, on whatever thread.
struct Decision {
  std::mutex mutex;
  std::condition_variable_any made;
  std::optional<Admitted> admitted;
};

}  // namespace

std::expected<ValidatedRun, RunFailure> validate(const MayRunCode& caller, const RunCall& call,
                                                 const Provider& provider, const GrantOf& grant_of,
                                                 const Clock& clock) {
  const AskedRun& asked = call.asked;
  if (auto mismatch = protocol_mismatch(asked.protocol)) return *std::move(mismatch);
  if (auto valid = check_asked_run(asked); !valid) {
    return refuse(FailureCode::kInvalidArgument, NotDispatchedReason::kRequest,
                  AuditRefusal::kInvalidRequest, std::move(valid).error().message);
  }
  // An unknown profile and a forbidden one are answered the same.
  const std::string& profile = grant_profile_of(asked.payload);
  std::optional<GrantedApi> granted;
  if (!profile.empty()) {
    if (grant_of) granted = grant_of(profile, caller.caller());
    if (!granted) {
      return refuse(FailureCode::kPermissionDenied, NotDispatchedReason::kPermission,
                    AuditRefusal::kGrantProfile,
                    "this caller has no such grant profile; ask the operator for one");
    }
  }
  const ProviderInfo info = provider.info();
  const auto* javascript = std::get_if<JavaScriptRun>(&asked.payload);
  if (info.environment.empty() && !info.runs_javascript && !info.runs_projects) {
    return refuse(FailureCode::kFailedPrecondition, NotDispatchedReason::kUnsupported,
                  AuditRefusal::kUnsupported,
                  "execution is disabled: no provider is configured (SANDBOX_PROVIDER)");
  }
  if (javascript == nullptr || !info.runs_javascript) {
    return refuse(FailureCode::kUnimplemented, NotDispatchedReason::kUnsupported,
                  AuditRefusal::kUnsupported,
                  fmt::format("the provider {} runs JavaScript snippets only", provider.id()));
  }
  if (granted && !info.javascript_grants) {
    return refuse(FailureCode::kUnimplemented, NotDispatchedReason::kUnsupported,
                  AuditRefusal::kUnsupported,
                  fmt::format("the provider {} runs snippets without grants only", provider.id()));
  }
  if (!software_is_right(asked.software_rule, info.software_identity)) {
    return refuse(
        FailureCode::kFailedPrecondition, NotDispatchedReason::kEnvironment,
        AuditRefusal::kSoftwareRule,
        fmt::format("the run would execute on {}, which the software rule does not admit",
                    info.software_identity.empty() ? std::string_view("software that is "
                                                                      "not identified")
                                                   : std::string_view(info.software_identity)));
  }
  const auto floor = asked.minimum_isolation.empty() ? std::optional(Isolation::kNone)
                                                     : parse_isolation(asked.minimum_isolation);
  return ValidatedRun({.code = javascript->code,
                       .timeout = timeout_of(call, provider.limits().max_timeout, clock.now()),
                       .minimum_isolation = floor.value_or(Isolation::kUnknown),
                       .caller = caller.caller(),
                       .grant = granted ? std::optional(granted->grant) : std::nullopt},
                      granted ? granted->advice_retention : AdviceRetention::kNone);
}

std::expected<ClearedRun, RunFailure> clear(const ValidatedRun& run, Provider& provider,
                                            Isolation minimum) {
  const auto evidence = provider.current_evidence();
  if (!evidence) {
    return refuse(FailureCode::kUnavailable, NotDispatchedReason::kEnvironment,
                  AuditRefusal::kNotReady, evidence.error().message);
  }
  auto cleared = clear_run(run.request(), provider.limits(), *evidence);
  if (cleared) {
    const auto floor = check_floor(minimum, *evidence);
    if (floor) return *cleared;
    return refuse(FailureCode::kFailedPrecondition, NotDispatchedReason::kIsolation,
                  AuditRefusal::kIsolation, floor.error().message);
  }
  const bool floor = cleared.error().code == ErrorCode::kIsolation;
  return refuse(floor ? FailureCode::kFailedPrecondition : FailureCode::kInvalidArgument,
                floor ? NotDispatchedReason::kIsolation : NotDispatchedReason::kRequest,
                floor ? AuditRefusal::kIsolation : AuditRefusal::kInvalidRequest,
                std::move(cleared).error().message);
}

std::expected<AdmittedRun, RunFailure> admit(const ClearedRun& run, const RunCall& call,
                                             Admission& admission, const Clock& clock) {
  const auto waited = duration_cast<milliseconds>(clock.now() - call.arrived);
  const Millis patience = std::max(run.timeout() - waited, Millis(0));
  // Shared with the callback, which may come after this thread has given up.
  const auto decision = std::make_shared<Decision>();
  AdmissionWait place =
      admission.request(run.request().caller, patience, [decision](Admitted admitted) {
        const std::lock_guard lock(decision->mutex);
        decision->admitted.emplace(std::move(admitted));
        decision->made.notify_all();
      });
  std::unique_lock lock(decision->mutex);
  decision->made.wait_for(lock, call.stop, patience,
                          [&decision] { return decision->admitted.has_value(); });
  if (!decision->admitted) {
    // Leaves the line without the lock: the callback may be running right now.
    lock.unlock();
    place = AdmissionWait();
    lock.lock();
  }
  if (decision->admitted) {
    if (!*decision->admitted) return std::unexpected(from_admission(decision->admitted->error()));
    return AdmittedRun(run, **std::move(decision->admitted));
  }
  if (call.stop.stop_requested()) {
    return refuse(FailureCode::kCanceled, NotDispatchedReason::kCapacity,
                  AuditRefusal::kConcurrency, "canceled while it waited for a slot; nothing ran");
  }
  return std::unexpected(
      from_admission({.reason = NotAdmitted::kPatience, .retry_after = run.timeout()}));
}

}  // namespace plimsoll
