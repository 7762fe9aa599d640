// Errors: refusals and infrastructure faults. What the guest did is an Outcome, never an Error.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// What went wrong, for a program to act on.
enum class ErrorCode : std::uint8_t {
  kInvalidConfig,   // the configuration is wrong; the message lists everything that is
  kInvalidRequest,  // the request is wrong: empty, too large, out of range
  kDisabled,        // no provider is configured: execution is off (the default)
  kUnsupported,     // the provider cannot do this operation
  kIsolation,       // the boundary is weaker than the floor that was asked for
  kCapacity,        // no slot came free in time
  kNotReady,        // preflight or the smoke test failed, or ensure_ready() was not called
  kInfrastructure,  // the host or the worker failed; unless not_dispatched is set, it may have run
  kCanceled,        // the caller gave up

  // Of a service only; Sandbox has none of these.
  kUnauthenticated,   // the token is missing or not known
  kPermission,        // the caller may not do this
  kUnreachable,       // there was no connection, so that nothing was sent
  kRecordMismatch,    // the answer's record is not of this request and this answer
  kEvidenceMismatch,  // the answer's evidence contradicts it, or is below the floor
};

// "invalid_config", "invalid_request", "disabled", "unsupported", "isolation", "capacity",
// "not_ready", "infrastructure", "canceled", "unauthenticated", "permission", "unreachable",
// "record_mismatch", "evidence_mismatch".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

// Why nothing ran. The numbers are those of the wire contract.
enum class NotDispatchedReason : std::uint8_t {
  kRequest = 1,
  kPermission = 2,
  kProtocol = 3,
  kUnsupported = 4,
  kIsolation = 5,
  kCapacity = 6,
  kEnvironment = 7,
};

// "request", "permission", "protocol", "unsupported", "isolation", "capacity", "environment".
[[nodiscard]] std::string_view to_string(NotDispatchedReason reason) noexcept;

// A refusal or a fault.
struct Error {
  ErrorCode code = ErrorCode::kInfrastructure;
  std::string message;  // for people: what was wrong, where, what is accepted
  // Set when it is certain that nothing of the caller's ran, so that a retry is safe. Empty: the
  // code may have run, in part or whole.
  std::optional<NotDispatchedReason> not_dispatched;
};

// The value, or why there is none.
template <class T>
using Result = std::expected<T, Error>;

}  // namespace plimsoll
