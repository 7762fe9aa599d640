#include "providers/disabled/disabled_provider.h"

namespace plimsoll {
namespace {

std::unexpected<Error> refusal() {
  return std::unexpected(
      Error{.code = ErrorCode::kDisabled,
            .message = "execution is disabled: no provider is configured (wasm is available)",
            .not_dispatched = NotDispatchedReason::kUnsupported});
}

}  // namespace

Result<void> DisabledProvider::ensure_ready() { return refusal(); }

Result<IsolationEvidence> DisabledProvider::current_evidence() { return refusal(); }

Result<Outcome> DisabledProvider::run(const ClearedRun&, Broker*, std::stop_token) {
  return refusal();
}

}  // namespace plimsoll
