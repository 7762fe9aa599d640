// What the container and kernel tiers need of the host: a container engine, and gVisor in it.
#pragma once

#include <string_view>
#include <vector>

#include "host_check.h"
#include "plimsoll/sandbox.h"

namespace plimsoll::cli {

// The container tier's report, under the engine's runc, then the kernel tier's, under its runsc.
// Asks the engine once, for at most 2 s, and starts what it seems to have: that takes seconds.
[[nodiscard]] std::vector<TierReport> examine_docker_tiers(const DockerConfig& docker);

// Whether an answer to GET /info names runsc among the engine's runtimes. Pure.
[[nodiscard]] bool registers_runsc(std::string_view http_response);

}  // namespace plimsoll::cli
