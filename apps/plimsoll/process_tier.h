// What the process tier needs of the host.
#pragma once

#include "host_check.h"

namespace plimsoll::cli {

// Asks the kernel for each feature, then starts the tier and attacks it as ensure_ready() does.
// Forks a child of its own for one question; call it before any thread is started.
[[nodiscard]] TierReport examine_process_tier();

}  // namespace plimsoll::cli
