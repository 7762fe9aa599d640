#include "providers/provider.h"

namespace plimsoll {

// NOLINTNEXTLINE(performance-unnecessary-value-param): whoever runs one keeps the token
Result<ProjectAnswer> Provider::run_project(const ClearedRun&, Broker*, std::stop_token) {
  return std::unexpected(Error{.code = ErrorCode::kUnsupported,
                               .message = "this provider runs no projects",
                               .not_dispatched = NotDispatchedReason::kUnsupported});
}

}  // namespace plimsoll
