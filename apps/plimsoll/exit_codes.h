// What the command's exit code means. The guest's own code is passed through, so one of these
// numbers can also be the guest's; --json tells the two apart.
#pragma once

#include "plimsoll/result.h"

namespace plimsoll::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitCouldNot = 1;  // doctor: this build can run nothing here
inline constexpr int kExitUsage = 2;

// Nothing of the guest's ran, but for 71, 74 and 76. Distinct, after sysexits.h where it has a
// name.
inline constexpr int kExitInvalidRequest = 65;
inline constexpr int kExitNoInput = 66;
inline constexpr int kExitUnsupported = 67;
inline constexpr int kExitUnreachable = 68;
inline constexpr int kExitDisabled = 69;
inline constexpr int kExitNotReady = 70;
inline constexpr int kExitInfrastructure = 71;
inline constexpr int kExitUnauthenticated = 72;
inline constexpr int kExitCanceled = 73;
inline constexpr int kExitOutput = 74;  // the guest ran; its output could not be written
inline constexpr int kExitCapacity = 75;
inline constexpr int kExitMismatch = 76;  // a service's answer does not hold
inline constexpr int kExitIsolation = 77;
inline constexpr int kExitInvalidConfig = 78;
inline constexpr int kExitPermission = 79;

// The reader of our output left: what a shell shows for a program that SIGPIPE ended.
inline constexpr int kExitReaderLeft = 141;

[[nodiscard]] constexpr int exit_code_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidConfig:
      return kExitInvalidConfig;
    case ErrorCode::kInvalidRequest:
      return kExitInvalidRequest;
    case ErrorCode::kDisabled:
      return kExitDisabled;
    case ErrorCode::kUnsupported:
      return kExitUnsupported;
    case ErrorCode::kIsolation:
      return kExitIsolation;
    case ErrorCode::kCapacity:
      return kExitCapacity;
    case ErrorCode::kNotReady:
      return kExitNotReady;
    case ErrorCode::kInfrastructure:
      return kExitInfrastructure;
    case ErrorCode::kCanceled:
      return kExitCanceled;
    case ErrorCode::kUnauthenticated:
      return kExitUnauthenticated;
    case ErrorCode::kPermission:
      return kExitPermission;
    case ErrorCode::kUnreachable:
      return kExitUnreachable;
    case ErrorCode::kRecordMismatch:
    case ErrorCode::kEvidenceMismatch:
      return kExitMismatch;
  }
  return kExitInfrastructure;
}

}  // namespace plimsoll::cli
