// Between the wire's messages and the service's own types. Pure; nothing is checked here.
#pragma once

#include "core/run_payload.h"
#include "plimsoll/evidence.h"
#include "rpc/status.h"
#include "service/run_call.h"

namespace plimsoll::v1 {
class DescribeResponse;
class IsolationEvidence;
class RunRequest;
class RunResponse;
}  // namespace plimsoll::v1

namespace plimsoll::rpc {

[[nodiscard]] AskedRun to_asked_run(const v1::RunRequest& message);
void fill_response(const RunAnswer& answer, v1::RunResponse& message);

void fill_description(const ServiceDescription& offer, v1::DescribeResponse& message);

// With the NotDispatched and RetryInfo details that the failure calls for.
[[nodiscard]] Status to_status(const RunFailure& failure);

// A refusal of the transport's, or of an operation that is not served: `status` gets the detail
// that nothing ran.
void mark_not_dispatched(NotDispatchedReason reason, Status& status);

}  // namespace plimsoll::rpc
