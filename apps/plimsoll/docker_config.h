// The engine that the environment names, for `plimsoll run` and `plimsoll doctor`.
#pragma once

#include "environment.h"
#include "plimsoll/sandbox.h"

namespace plimsoll::cli {

// What a variable does not set is as DockerConfig has it. No container is kept ready, and one runs
// at a time. Pure; the values are checked by Sandbox::build().
[[nodiscard]] DockerConfig docker_config(const Environment& environment);

}  // namespace plimsoll::cli
