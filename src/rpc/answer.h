// Responses as each protocol wants them. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rpc/call_plan.h"
#include "rpc/http.h"
#include "rpc/status.h"

namespace plimsoll::rpc {

// The answer of a call that went well. `message` is serialized in the plan's codec; it is
// compressed when the plan says so and it has at least `compress_from_bytes`.
[[nodiscard]] Response answer_message(const CallPlan& plan, std::string message,
                                      std::size_t compress_from_bytes);

// A status that is not ok. Connect: the JSON body. gRPC: trailers only. gRPC-Web: the trailer
// frame.
[[nodiscard]] Response answer_error(const Media& media, const Status& status);

// gRPC: the fields of the head of a stream of messages, and its trailers.
[[nodiscard]] Headers grpc_head(const Media& media);
[[nodiscard]] Headers grpc_trailers(const Status& status);

}  // namespace plimsoll::rpc
