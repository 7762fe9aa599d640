// The kinds of error of these providers.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "plimsoll/result.h"

namespace plimsoll::jailed {

// Nothing was dispatched, and nothing can be until the cause is removed.
[[nodiscard]] inline std::unexpected<Error> not_ready(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kNotReady,
                               .message = std::move(message),
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

[[nodiscard]] inline std::unexpected<Error> canceled_before_dispatch() {
  return std::unexpected(Error{.code = ErrorCode::kCanceled,
                               .message = "canceled before it began; nothing ran",
                               .not_dispatched = NotDispatchedReason::kCapacity});
}

// After dispatch: it may have run, in part or whole.
[[nodiscard]] inline std::unexpected<Error> lost(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInfrastructure,
                               .message = std::move(message),
                               .not_dispatched = std::nullopt});
}

}  // namespace plimsoll::jailed
