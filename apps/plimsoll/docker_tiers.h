// What the container and kernel tiers will need of the host: a container engine, and gVisor in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host_check.h"

namespace plimsoll::cli {

// The container tier's report, then the kernel tier's. `docker_host` is the value of
// SANDBOX_DOCKER_HOST, or empty for the default socket. Asks the engine once, for at most 2 s.
[[nodiscard]] std::vector<TierReport> examine_docker_tiers(const std::string& docker_host);

// Whether an answer to GET /info names runsc among the engine's runtimes. Pure.
[[nodiscard]] bool registers_runsc(std::string_view http_response);

}  // namespace plimsoll::cli
