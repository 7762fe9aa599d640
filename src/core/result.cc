#include "plimsoll/result.h"

namespace plimsoll {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidConfig:
      return "invalid_config";
    case ErrorCode::kInvalidRequest:
      return "invalid_request";
    case ErrorCode::kDisabled:
      return "disabled";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kIsolation:
      return "isolation";
    case ErrorCode::kCapacity:
      return "capacity";
    case ErrorCode::kNotReady:
      return "not_ready";
    case ErrorCode::kInfrastructure:
      return "infrastructure";
    case ErrorCode::kCanceled:
      return "canceled";
    case ErrorCode::kUnauthenticated:
      return "unauthenticated";
    case ErrorCode::kPermission:
      return "permission";
    case ErrorCode::kUnreachable:
      return "unreachable";
    case ErrorCode::kRecordMismatch:
      return "record_mismatch";
    case ErrorCode::kEvidenceMismatch:
      return "evidence_mismatch";
  }
  return "infrastructure";  // not one of ours: the code that promises least
}

std::string_view to_string(NotDispatchedReason reason) noexcept {
  switch (reason) {
    case NotDispatchedReason::kRequest:
      return "request";
    case NotDispatchedReason::kPermission:
      return "permission";
    case NotDispatchedReason::kProtocol:
      return "protocol";
    case NotDispatchedReason::kUnsupported:
      return "unsupported";
    case NotDispatchedReason::kIsolation:
      return "isolation";
    case NotDispatchedReason::kCapacity:
      return "capacity";
    case NotDispatchedReason::kEnvironment:
      return "environment";
  }
  return "environment";
}

}  // namespace plimsoll
