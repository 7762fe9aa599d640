// The status of a call: one of the sixteen codes that gRPC and Connect share, and what travels with
// it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::rpc {

// The numbers are gRPC's, the names Connect's.
enum class Code : std::uint8_t {
  kOk = 0,
  kCanceled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "invalid_argument"; "ok" for kOk.
[[nodiscard]] std::string_view to_string(Code code) noexcept;
// The HTTP status of a Connect error; 200 for kOk.
[[nodiscard]] unsigned http_status(Code code) noexcept;

// A typed detail: a serialized protobuf message and its full name ("google.rpc.RetryInfo").
struct Detail {
  std::string type;
  std::string value;
};

// kOk, or why there is no answer.
struct Status {
  Code code = Code::kOk;
  std::string message;  // for people; any bytes, each protocol escapes it
  std::vector<Detail> details;
  // Sent as Retry-After, whole seconds, rounded up by whoever sets it.
  std::optional<std::chrono::seconds> retry_after;
  // Instead of http_status(code), where HTTP has a better word (404, 405, 413, 415); 0: no
  // override. gRPC ignores it.
  unsigned http_override = 0;
  std::string allow;  // the Allow field of a 405

  [[nodiscard]] bool ok() const noexcept { return code == Code::kOk; }
};

}  // namespace plimsoll::rpc
