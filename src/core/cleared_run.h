// The proof that a request was checked: a ClearedRun can be made only by clear_run(), and a
// provider accepts nothing else, so that a run which skipped the floor does not compile.
#pragma once

#include "plimsoll/evidence.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"

namespace plimsoll {

// What a provider can run; the bounds that validation checks a request against.
struct ProviderLimits {
  Millis max_timeout{0};
};

class ClearedRun {
 public:
  // The request, valid, with its timeout filled in. Lives as long as the caller's RunRequest.
  [[nodiscard]] const RunRequest& request() const noexcept { return *request_; }
  [[nodiscard]] Millis timeout() const noexcept { return timeout_; }
  [[nodiscard]] Isolation floor() const noexcept { return floor_; }

 private:
  ClearedRun(const RunRequest& request, Millis timeout, Isolation floor) noexcept
      : request_(&request), timeout_(timeout), floor_(floor) {}
  friend Result<ClearedRun> clear_run(const RunRequest&, const ProviderLimits&,
                                      const IsolationEvidence&);
  const RunRequest* request_;
  Millis timeout_;
  Isolation floor_;
};

// Checks the request against the limits (kInvalidRequest, every mistake named), then its floor
// against `current`, the provider's evidence taken now (kIsolation). Both with not_dispatched set.
[[nodiscard]] Result<ClearedRun> clear_run(const RunRequest& request, const ProviderLimits& limits,
                                           const IsolationEvidence& current);

// The floor check alone, for a provider that learns more about the boundary when it has picked the
// very worker: the error names both tiers.
[[nodiscard]] Result<void> check_floor(Isolation floor, const IsolationEvidence& evidence);

}  // namespace plimsoll
