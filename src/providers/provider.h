// The seam between the policy and what isolates: one provider turns cleared runs into guests.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "broker/broker.h"
#include "core/cleared_run.h"
#include "core/pool_state.h"
#include "core/project_answer.h"
#include "core/provider_info.h"
#include "plimsoll/evidence.h"
#include "plimsoll/outcome.h"
#include "plimsoll/result.h"

namespace plimsoll {

// Every provider passes tests/contract. All methods may be called from any thread, concurrently.
class Provider {
 public:
  virtual ~Provider() = default;

  // The id that results and records carry, e.g. "wasm". Static storage.
  [[nodiscard]] virtual std::string_view id() const noexcept = 0;

  [[nodiscard]] virtual ProviderLimits limits() const noexcept = 0;

  // Does not change over the provider's life.
  [[nodiscard]] virtual ProviderInfo info() const = 0;

  // Preflight and smoke test. Idempotent. Errors: kNotReady, kDisabled.
  [[nodiscard]] virtual Result<void> ensure_ready() = 0;

  // What is known of the boundary now. Errors: kDisabled, kNotReady.
  [[nodiscard]] virtual Result<IsolationEvidence> current_evidence() = 0;

  // What is kept ready now, and what became of the rest.
  [[nodiscard]] virtual std::vector<PoolState> pools() const { return {}; }

  // Runs it and waits. Errors before dispatch carry not_dispatched, later ones never do. When
  // `cancel` is requested, a run that waits for its slot is given up, and one that was dispatched
  // is killed: kCanceled either way. `broker` answers the guest's calls of the API that the run was
  // granted; null exactly when it was granted none. What it did is in its trace, however the run
  // ends; Outcome::calls stays empty here.
  [[nodiscard]] virtual Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                            std::stop_token cancel) = 0;

  // The same for a project: `run` was made by clear_project(). What the guest did, or did not come
  // to do, is in the answer; only what the host could not do is an error. Errors: those of run(),
  // and kUnsupported, before dispatch, when info() says that there are no projects.
  [[nodiscard]] virtual Result<ProjectAnswer> run_project(const ClearedRun& run, Broker* broker,
                                                          std::stop_token cancel);
};

}  // namespace plimsoll
