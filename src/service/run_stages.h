// The stages of a run before its dispatch, each a proof that only its check can make. What takes
// the last one cannot be reached by a run that skipped an earlier one.
//
//   MayRunCode (auth) → ValidatedRun → ClearedRun (core) → AdmittedRun → Provider::run
#pragma once

#include <chrono>
#include <expected>
#include <utility>

#include "admission/admission.h"
#include "auth/authenticator.h"
#include "core/cleared_run.h"
#include "providers/provider.h"
#include "service/run_call.h"

namespace plimsoll {

// A call of a caller who may run code: of our protocol, within the wire limits, with grants that
// the caller has, for an operation and a software that the provider offers.
class ValidatedRun {
 public:
  [[nodiscard]] const std::string& caller() const noexcept { return request_.caller; }
  // What the provider is to run. Lives in this object, which must not move once it is cleared.
  [[nodiscard]] const RunRequest& request() const noexcept { return request_; }
  // Of its grant; without one nothing is kept.
  [[nodiscard]] AdviceRetention advice_retention() const noexcept { return retention_; }

 private:
  ValidatedRun(RunRequest request, AdviceRetention retention) noexcept
      : request_(std::move(request)), retention_(retention) {}
  friend std::expected<ValidatedRun, RunFailure> validate(const MayRunCode&, const RunCall&,
                                                          const Provider&, const GrantOf&,
                                                          const Clock&);
  RunRequest request_;
  AdviceRetention retention_;
};

// Steps 4 to 8 of the contract's order: protocol number, payload, grant profile, operation,
// software rule. The run's timeout is the smallest of what was asked, the client's deadline and the
// provider's ceiling.
[[nodiscard]] std::expected<ValidatedRun, RunFailure> validate(const MayRunCode& caller,
                                                               const RunCall& call,
                                                               const Provider& provider,
                                                               const GrantOf& grant_of,
                                                               const Clock& clock);

// Step 9: the floor against the provider's evidence, taken now. `minimum` is the operator's own
// floor.
[[nodiscard]] std::expected<ClearedRun, RunFailure> clear(const ValidatedRun& run,
                                                          Provider& provider, Isolation minimum);

// A cleared run that holds its slot until this is destroyed.
class AdmittedRun {
 public:
  [[nodiscard]] const ClearedRun& cleared() const noexcept { return cleared_; }

 private:
  AdmittedRun(const ClearedRun& cleared, AdmittedSlot slot) noexcept
      : cleared_(cleared), slot_(std::move(slot)) {}
  friend std::expected<AdmittedRun, RunFailure> admit(const ClearedRun&, const RunCall&, Admission&,
                                                      const Clock&);
  ClearedRun cleared_;
  AdmittedSlot slot_;
};

// Step 10: rate, concurrency, whose turn it is. Waits at most until as much time has passed since
// the call arrived as the run may take: what it has waited elsewhere counts. A call that is later
// than that runs at once or not at all. A request on the call's stop gives up.
[[nodiscard]] std::expected<AdmittedRun, RunFailure> admit(const ClearedRun& run,
                                                           const RunCall& call,
                                                           Admission& admission,
                                                           const Clock& clock);

}  // namespace plimsoll
