// The way of a run inside the library: evidence, then the floor, then the provider. Apart from
// Sandbox, so that a test can put any provider behind the very steps that Sandbox takes.
#pragma once

#include <stop_token>

#include "plimsoll/evidence.h"
#include "plimsoll/isolation.h"
#include "plimsoll/outcome.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"
#include "providers/provider.h"

namespace plimsoll {

// Makes the provider ready and compares its evidence, taken after that, with `minimum`. Errors: the
// provider's own; kIsolation when the tier is weaker than `minimum`. Any thread.
[[nodiscard]] Result<IsolationEvidence> prove_ready(Provider& provider, Isolation minimum);

// Clears the request against evidence taken now and against the stronger of its own floor and
// `minimum`, then runs it. The provider's run() is called at most once, and never for a request
// that is refused. Any thread.
[[nodiscard]] Result<Outcome> dispatch(Provider& provider, Isolation minimum,
                                       const RunRequest& request, std::stop_token cancel = {});

}  // namespace plimsoll
