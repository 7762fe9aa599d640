#include "client/error_answer.h"

#include <fmt/format.h>
#include <google/rpc/error_details.pb.h>
#include <plimsoll/v1/sandbox.pb.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_tree.h"
#include "client/base64.h"
#include "client/parse_message.h"
#include "client/printable.h"

namespace plimsoll::client {
namespace {

constexpr std::size_t kMaxErrorBytes = 65'536;
constexpr JsonLimits kLimits{.max_bytes = kMaxErrorBytes, .max_depth = 16, .max_values = 1024};
constexpr std::size_t kMaxMessageBytes = 1024;
constexpr std::size_t kMaxDetailBytes = 4096;  // encoded; longer ones are not ours
constexpr std::string_view kNotDispatched = "plimsoll.v1.NotDispatched";
constexpr std::string_view kRetryInfo = "google.rpc.RetryInfo";
constexpr std::chrono::seconds kMaxRetryAfter{24 * 3600};

struct CodeRow {
  std::string_view name;
  ErrorCode code;
};

// Where no NotDispatched says it more precisely. What is not in it is kInfrastructure.
constexpr std::array<CodeRow, 6> kCodes{{
    {.name = "invalid_argument", .code = ErrorCode::kInvalidRequest},
    {.name = "out_of_range", .code = ErrorCode::kInvalidRequest},
    {.name = "permission_denied", .code = ErrorCode::kPermission},
    {.name = "unauthenticated", .code = ErrorCode::kUnauthenticated},
    {.name = "resource_exhausted", .code = ErrorCode::kCapacity},
    {.name = "unimplemented", .code = ErrorCode::kUnsupported},
}};

ErrorCode code_of(std::string_view name) noexcept {
  const auto* row = std::ranges::find(kCodes, name, &CodeRow::name);
  return row == kCodes.end() ? ErrorCode::kInfrastructure : row->code;
}

// By HTTP's status alone, of whatever stands between here and the service.
ErrorCode code_of(unsigned status) noexcept {
  switch (status) {
    case 401:
      return ErrorCode::kUnauthenticated;
    case 403:
      return ErrorCode::kPermission;
    case 429:
      return ErrorCode::kCapacity;
    default:
      return ErrorCode::kInfrastructure;
  }
}

ErrorCode code_of(NotDispatchedReason reason, std::string_view name) noexcept {
  switch (reason) {
    case NotDispatchedReason::kRequest:
      return ErrorCode::kInvalidRequest;
    case NotDispatchedReason::kPermission:
      return name == "unauthenticated" ? ErrorCode::kUnauthenticated : ErrorCode::kPermission;
    case NotDispatchedReason::kProtocol:
      return ErrorCode::kUnsupported;
    case NotDispatchedReason::kUnsupported:
      return name == "failed_precondition" ? ErrorCode::kDisabled : ErrorCode::kUnsupported;
    case NotDispatchedReason::kIsolation:
      return ErrorCode::kIsolation;
    case NotDispatchedReason::kCapacity:
      return ErrorCode::kCapacity;
    case NotDispatchedReason::kEnvironment:
      break;
  }
  return ErrorCode::kNotReady;
}

// A member that is there once and of that kind; a repeated one is what two readers disagree about.
const JsonValue* member(const JsonValue& object, std::string_view name, JsonKind kind) {
  const JsonValue* found = nullptr;
  for (const JsonMember& one : object.members) {
    if (one.name != name) continue;
    if (found != nullptr || one.value.kind != kind) return nullptr;
    found = &one.value;
  }
  return found;
}

std::string_view text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* value = member(object, name, JsonKind::kString);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

struct Details {
  std::optional<NotDispatchedReason> reason;
  std::optional<Millis> retry_after;
  bool broken = false;
};

void take_reason(const std::string& bytes, Details& details) {
  v1::NotDispatched message;
  if (!parse_message(bytes, message)) {
    details.broken = true;
    return;
  }
  const int reason = message.reason();
  if (reason < v1::NOT_DISPATCHED_REASON_REQUEST ||
      reason > v1::NOT_DISPATCHED_REASON_ENVIRONMENT) {
    details.broken = true;
    return;
  }
  const auto known = static_cast<NotDispatchedReason>(reason);
  if (details.reason && *details.reason != known) details.broken = true;
  details.reason = known;
}

void take_retry(const std::string& bytes, Details& details) {
  google::rpc::RetryInfo message;
  if (!parse_message(bytes, message)) return;
  const auto& delay = message.retry_delay();
  if (delay.seconds() < 0 || delay.seconds() > kMaxRetryAfter.count() || delay.nanos() < 0 ||
      delay.nanos() > 999'999'999) {
    return;
  }
  details.retry_after = std::chrono::ceil<Millis>(std::chrono::seconds(delay.seconds()) +
                                                  std::chrono::nanoseconds(delay.nanos()));
}

Details read_details(const JsonValue& error) {
  Details details;
  const JsonValue* list = member(error, "details", JsonKind::kArray);
  if (list == nullptr) return details;
  for (const JsonValue& detail : list->items) {
    const std::string_view type = text_of(detail, "type");
    const std::string_view value = text_of(detail, "value");
    if (type != kNotDispatched && type != kRetryInfo) continue;
    const auto bytes = value.size() > kMaxDetailBytes ? std::nullopt : base64_decode(value);
    if (!bytes) {
      details.broken = details.broken || type == kNotDispatched;
    } else if (type == kNotDispatched) {
      take_reason(*bytes, details);
    } else {
      take_retry(*bytes, details);
    }
  }
  if (details.broken) details.reason.reset();
  return details;
}

bool is_json(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) content_type.remove_suffix(1);
  constexpr std::string_view kJson = "application/json";
  return std::ranges::equal(content_type, kJson, [](char is, char has_to_be) {
    return (is >= 'A' && is <= 'Z' ? is - 'A' + 'a' : is) == has_to_be;
  });
}

ClientError without_words(const HttpReply& reply, std::string_view why) {
  ClientError error;
  error.code = code_of(reply.status);
  error.message = fmt::format("HTTP status {} {}", reply.status, why);
  if (reply.status >= 300 && reply.status < 400) error.message += "; redirects are not followed";
  if (reply.retry_after && *reply.retry_after <= kMaxRetryAfter) {
    error.retry_after = *reply.retry_after;
  }
  return error;
}

}  // namespace

ClientError from_error_answer(const HttpReply& reply) {
  if (reply.status < 400) {
    return without_words(reply, "with content that is no answer of this service's");
  }
  if (!is_json(reply.content_type)) return without_words(reply, "and no error of this service's");
  const auto json = parse_json(reply.body, kLimits);
  if (!json || json->kind != JsonKind::kObject) {
    return without_words(reply, "and an error that is no JSON");
  }
  const std::string_view name = text_of(*json, "code");
  if (name.empty()) return without_words(reply, "and an error without a code");
  const Details details = read_details(*json);
  ClientError error = without_words(reply, "");
  error.code = details.reason ? code_of(*details.reason, name) : code_of(name);
  error.message = printable(text_of(*json, "message"), kMaxMessageBytes);
  if (error.message.empty()) error.message = printable(name, kMaxMessageBytes);
  error.not_dispatched = details.reason;
  if (details.retry_after) error.retry_after = details.retry_after;
  return error;
}

ClientError from_failure(HttpFailure failure) {
  ClientError error;
  error.message = std::move(failure.message);
  if (failure.sent == Sent::kNothing) error.not_dispatched = NotDispatchedReason::kEnvironment;
  switch (failure.fault) {
    case HttpFault::kUnreachable:
      error.code = ErrorCode::kUnreachable;
      break;
    case HttpFault::kCanceled:
      error.code = ErrorCode::kCanceled;
      break;
    case HttpFault::kDeadline:
      error.message = "no answer before the deadline: " + error.message;
      break;
    case HttpFault::kUntrusted:
      error.message = "no connection that can be trusted: " + error.message;
      break;
    case HttpFault::kTooLarge:
    case HttpFault::kBroken:
      error.message = "no whole answer: " + error.message;
      break;
  }
  return error;
}

}  // namespace plimsoll::client
