// A status on the wire, in each protocol's words. Pure functions.
#pragma once

#include <string>

#include "rpc/http.h"
#include "rpc/status.h"

namespace plimsoll::rpc {

// Connect's error body: {"code":"...","message":"...","details":[{"type":"...","value":"..."}]}.
// The fields that are empty are left out. Valid JSON whatever the message holds.
[[nodiscard]] std::string connect_error_json(const Status& status);

// grpc-status, and when they are not empty grpc-message and grpc-status-details-bin (a
// google.rpc.Status whose details are google.protobuf.Any).
void add_grpc_status(Headers& fields, const Status& status);

// The same as the body of a gRPC-Web trailer frame: "name: value\r\n" each.
[[nodiscard]] std::string grpc_web_trailers(const Status& status);

}  // namespace plimsoll::rpc
