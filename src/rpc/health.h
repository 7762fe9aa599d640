// grpc.health.v1, as a method of a listener.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rpc/handler.h"

namespace plimsoll::rpc {

// Health/Check: open to everyone, as probes have no credentials. SERVING while `serving`
// (thread-safe, does not block) says so, for the empty name and for `services`; any other name is
// not_found.
[[nodiscard]] Method health_check(std::function<bool()> serving, std::vector<std::string> services);

}  // namespace plimsoll::rpc
