// plimsoll.v1.SandboxService as methods of a listener, and the hooks that authenticate its callers.
#pragma once

#include <vector>

#include "auth/authenticator.h"
#include "rpc/handler.h"
#include "service/run_service.h"

namespace plimsoll::rpc {

// The service and the authenticator outlive the server that gets these.
[[nodiscard]] std::vector<Method> sandbox_methods(RunService& service);
[[nodiscard]] Hooks sandbox_hooks(RunService& service, const Authenticator& authenticator);

}  // namespace plimsoll::rpc
