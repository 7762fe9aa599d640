// The way of a run through the daemon, from an authenticated call to its answer and its audit line.
// run_service.cc is that way, readable from top to bottom.
#pragma once

#include <atomic>

#include "admission/admission.h"
#include "audit/audit_sink.h"
#include "audit/service_metrics.h"
#include "auth/authenticator.h"
#include "base/clock.h"
#include "plimsoll/isolation.h"
#include "providers/provider.h"
#include "service/run_call.h"

namespace plimsoll {

// What a caller without the scope code:run is told.
[[nodiscard]] RunFailure scope_missing();

// What the service works with; all of it outlives the service.
struct RunServiceParts {
  Provider* provider = nullptr;
  Admission* admission = nullptr;
  AuditSink* audit = nullptr;
  ServiceMetrics* metrics = nullptr;
  const Clock* clock = nullptr;
  const std::atomic<bool>* draining = nullptr;     // set: every new run is refused; null: never
  Isolation minimum_isolation = Isolation::kNone;  // SANDBOX_MIN_ISOLATION: holds for every run
  // The grant profiles; null: there are none, and asking for one is refused.
  GrantOf grant_of{};
  std::string policy{};  // what records and Describe call the policy
};

// Safe for concurrent use.
class RunService {
 public:
  explicit RunService(RunServiceParts parts);

  // Runs it and waits. Whatever comes of it, one audit line is written and counted. A failure
  // before dispatch has not_dispatched set; one after dispatch never does.
  [[nodiscard]] RunReply run(const Authenticated& caller, const RunCall& call);

  // Audits a call that was refused before it came here: no caller, no valid message.
  void refused(const Authenticated* caller, const RunFailure& failure);

  // What Describe tells. Without evidence the tier is unknown, which meets no floor.
  [[nodiscard]] ServiceDescription describe() const;

 private:
  [[nodiscard]] RunReply dispatch(const Authenticated& caller, const RunCall& call, AuditLine& line,
                                  AuditAdvice& advice);
  void audit(AuditLine line) const;

  RunServiceParts parts_;
};

}  // namespace plimsoll
