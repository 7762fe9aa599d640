// What is asked, as the bytes of the wire.
#pragma once

#include <string>
#include <string_view>

#include "core/run_payload.h"
#include "plimsoll/client.h"

namespace plimsoll::client {

inline constexpr std::string_view kRunPath = "/plimsoll.v1.SandboxService/Run";
inline constexpr std::string_view kDescribePath = "/plimsoll.v1.SandboxService/Describe";

// The request in the terms of the contract: what is sent, and what the record's digest covers.
// Errors: kInvalidRequest, not dispatched, every mistake named.
[[nodiscard]] Result<AskedRun> to_asked_run(const RunRequest& request, const CallOptions& options);

// A plimsoll.v1.RunRequest with a JavaScript payload, which `asked` has.
[[nodiscard]] std::string encode_run_request(const AskedRun& asked, const std::string& trace_id);

}  // namespace plimsoll::client
