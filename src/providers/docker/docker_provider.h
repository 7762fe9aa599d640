// The container and kernel tiers: Node.js in a locked-down container of a Docker engine.
#pragma once

#include <memory>

#include "plimsoll/sandbox.h"
#include "providers/provider.h"

namespace plimsoll {

// Starts nothing yet. The configuration must have been checked (sandbox/config_check.h).
[[nodiscard]] std::unique_ptr<Provider> make_docker_provider(const DockerConfig& config);

}  // namespace plimsoll
