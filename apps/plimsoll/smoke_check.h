// The last check of a tier: its provider, started and attacked.
#pragma once

#include "host_check.h"
#include "plimsoll/sandbox.h"

namespace plimsoll::cli {

// The real thing: it is ready, and `evidence` is filled in, or the reason why not is the provider's
// own. One worker or machine is kept ready, and what `config` says of containers.
[[nodiscard]] HostCheck start_for_real(SandboxConfig config, IsolationEvidence& evidence);

}  // namespace plimsoll::cli
