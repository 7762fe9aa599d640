#include "sandbox/dispatch.h"

#include <utility>

#include "core/cleared_run.h"

namespace plimsoll {

Result<IsolationEvidence> prove_ready(Provider& provider, Isolation minimum) {
  if (auto ready = provider.ensure_ready(); !ready) {
    return std::unexpected(std::move(ready).error());
  }
  auto evidence = provider.current_evidence();
  if (!evidence) return evidence;
  if (auto floor = check_floor(minimum, *evidence); !floor) {
    return std::unexpected(std::move(floor).error());
  }
  return evidence;
}

Result<Outcome> dispatch(Provider& provider, Isolation minimum, const RunRequest& request,
                         std::stop_token cancel) {
  auto evidence = provider.current_evidence();
  if (!evidence) return std::unexpected(std::move(evidence).error());
  auto cleared = clear_run(request, provider.limits(), *evidence);
  if (!cleared) return std::unexpected(std::move(cleared).error());
  // The embedder's own minimum holds for every run, not only at start: evidence can get worse.
  if (auto floor = check_floor(minimum, *evidence); !floor) {
    return std::unexpected(std::move(floor).error());
  }
  return provider.run(*cleared, std::move(cancel));
}

}  // namespace plimsoll
