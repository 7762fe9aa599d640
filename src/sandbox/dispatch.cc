#include "sandbox/dispatch.h"

#include <utility>

#include "base/clock.h"
#include "broker/broker.h"
#include "core/cleared_run.h"
#include "plimsoll/advisor.h"

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
  if (!request.grant) return provider.run(*cleared, nullptr, std::move(cancel));

  // The line before the run may take as long as the run.
  const SystemClock clock;
  auto broker = open_broker(
      *request.grant, {.caller = request.caller, .deadline = clock.now() + 2 * cleared->timeout()},
      clock);
  if (!broker) return std::unexpected(std::move(broker).error());
  auto outcome = provider.run(*cleared, broker->get(), std::move(cancel));
  (*broker)->close();
  if (outcome) {
    outcome->calls = (*broker)->trace();
    if (request.grant->config().advice == Advice::kCaller) {
      outcome->advice = advisor::for_caller(advisor::advise(outcome->calls, *request.grant));
    }
  }
  return outcome;
}

}  // namespace plimsoll
