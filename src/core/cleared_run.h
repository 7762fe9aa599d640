// The proof that a request was checked: a ClearedRun can be made only by clear_run(), and a
// provider accepts nothing else, so that a run which skipped the floor does not compile.
#pragma once

#include "core/run_payload.h"
#include "plimsoll/evidence.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"

namespace plimsoll {

// What a provider can run; the bounds that validation checks a request against.
struct ProviderLimits {
  Millis max_timeout{0};
  Millis max_project_timeout{0};  // 0: it runs no projects
};

class ClearedRun {
 public:
  // The request, valid, with its timeout filled in. Lives as long as the caller's RunRequest.
  [[nodiscard]] const RunRequest& request() const noexcept { return *request_; }
  // The project that is to run instead of the request's code; null: it is a snippet. Lives as long
  // as the caller's.
  [[nodiscard]] const ProjectRun* project() const noexcept { return project_; }
  [[nodiscard]] Millis timeout() const noexcept { return timeout_; }
  [[nodiscard]] Isolation floor() const noexcept { return floor_; }

 private:
  ClearedRun(const RunRequest& request, const ProjectRun* project, Millis timeout,
             Isolation floor) noexcept
      : request_(&request), project_(project), timeout_(timeout), floor_(floor) {}
  friend Result<ClearedRun> clear_run(const RunRequest&, const ProviderLimits&,
                                      const IsolationEvidence&);
  friend Result<ClearedRun> clear_project(const RunRequest&, const ProjectRun&,
                                          const ProviderLimits&, const IsolationEvidence&);
  const RunRequest* request_;
  const ProjectRun* project_;
  Millis timeout_;
  Isolation floor_;
};

// Checks the request against the limits (kInvalidRequest, every mistake named), then its floor
// against `current`, the provider's evidence taken now (kIsolation). Both with not_dispatched set.
[[nodiscard]] Result<ClearedRun> clear_run(const RunRequest& request, const ProviderLimits& limits,
                                           const IsolationEvidence& current);

// The same for a project. The request says everything but the code, which is empty; of the project
// every bound of core/wire_limits.h is checked.
[[nodiscard]] Result<ClearedRun> clear_project(const RunRequest& request, const ProjectRun& project,
                                               const ProviderLimits& limits,
                                               const IsolationEvidence& current);

// The floor check alone, for a provider that learns more about the boundary when it has picked the
// very worker: the error names both tiers.
[[nodiscard]] Result<void> check_floor(Isolation floor, const IsolationEvidence& evidence);

}  // namespace plimsoll
