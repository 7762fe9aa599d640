// One call of Run as the service sees it: what was asked, what comes back, and what is said
// instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "audit/audit_line.h"
#include "base/clock.h"
#include "core/provider_info.h"
#include "core/run_payload.h"
#include "core/run_result.h"
#include "plimsoll/advice.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/evidence.h"
#include "plimsoll/grant.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"
#include "record/run_record.h"

namespace plimsoll {

// What the transport hands over: decoded, not checked.
struct RunCall {
  AskedRun asked;
  std::string trace_id;  // as it came
  // The client's own deadline, when it set one.
  std::optional<Clock::Monotonic> deadline;
  // Requested when the client left or its deadline passed.
  std::stop_token stop;
  Clock::Monotonic arrived;  // the request's head
};

// What a profile gives its runs.
struct GrantedApi {
  Grant grant;
  AdviceRetention advice_retention = AdviceRetention::kNone;
};

// The profile's grant for that caller; nullopt: there is no such profile, or not for this caller,
// which nobody is told apart. Safe for concurrent use.
using GrantOf =
    std::function<std::optional<GrantedApi>(std::string_view profile, std::string_view caller)>;

// The answer to a run that was dispatched and ended.
struct RunAnswer {
  std::string provider;
  Isolation isolation = Isolation::kUnknown;
  std::string environment;
  std::string software_identity;
  std::chrono::milliseconds duration{0};
  record::RunRecord record;
  RunResult result;
  IsolationEvidence evidence;
  std::vector<AdviceFinding> advice;  // for the caller; not in the record
};

// What the service offers.
struct ServiceDescription {
  std::string provider;
  std::string policy;
  ProviderInfo info;
  Millis max_timeout{0};
  bool javascript_grants = false;  // the provider can, and there are profiles
  IsolationEvidence evidence;
};

// How a call failed, by the words that gRPC and Connect share.
enum class FailureCode : std::uint8_t {
  kInvalidArgument,
  kPermissionDenied,
  kUnauthenticated,
  kResourceExhausted,
  kFailedPrecondition,
  kUnimplemented,
  kUnavailable,
  kCanceled,
  kDeadlineExceeded,
  kInternal,
};

struct RunFailure {
  FailureCode code = FailureCode::kInternal;
  std::string message;
  // Set: nothing ran. Never set after dispatch.
  std::optional<NotDispatchedReason> not_dispatched;
  // When to come back, of a refusal for lack of capacity.
  std::optional<std::chrono::milliseconds> retry_after;
  AuditRefusal refusal = AuditRefusal::kNone;
};

using RunReply = std::variant<RunAnswer, RunFailure>;

}  // namespace plimsoll
