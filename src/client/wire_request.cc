#include "client/wire_request.h"

#include <fmt/format.h>
#include <plimsoll/v1/sandbox.pb.h>

#include <limits>
#include <variant>

#include "base/utf8.h"
#include "core/mistakes.h"
#include "core/wire_names.h"
#include "core/wire_validation.h"

namespace plimsoll::client {

Result<AskedRun> to_asked_run(const RunRequest& request, const CallOptions& options) {
  Mistakes mistakes;
  const JavaScriptRun javascript{.code = request.code, .grant_profile = options.grant_profile};
  check_javascript_run(javascript, mistakes);
  if (!is_valid_utf8(request.code)) mistakes.add("the code is not UTF-8, which the wire demands");
  if (request.timeout < Millis(0) ||
      request.timeout.count() > std::numeric_limits<std::int32_t>::max()) {
    mistakes.add(fmt::format("timeout is {} ms; 0 (the default) and more are accepted",
                             request.timeout.count()));
  }
  if (request.minimum_isolation == Isolation::kUnknown) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  if (!request.caller.empty()) {
    mistakes.add("caller is set; a service knows its caller by the token, one client for each");
  }
  if (request.grant) {
    mistakes.add(
        "grant is set; a service has grant profiles of its own: name one by grant_profile");
  }
  if (!options.trace_id.empty() && !TraceId::parse(options.trace_id)) {
    mistakes.add("trace_id is invalid; 1 to 64 bytes of A-Z a-z 0-9 . _ : - are accepted");
  }
  if (!mistakes.none()) {
    return std::unexpected(
        mistakes.to_error(ErrorCode::kInvalidRequest, NotDispatchedReason::kRequest));
  }
  return AskedRun{.minimum_isolation = std::string(to_string(request.minimum_isolation)),
                  .timeout_ms = static_cast<std::int32_t>(request.timeout.count()),
                  .payload = javascript};
}

std::string encode_run_request(const AskedRun& asked, const std::string& trace_id) {
  v1::RunRequest message;
  message.set_protocol(asked.protocol);
  message.set_minimum_isolation(asked.minimum_isolation);
  message.set_trace_id(trace_id);
  message.set_timeout_ms(asked.timeout_ms);
  const auto& javascript = std::get<JavaScriptRun>(asked.payload);
  message.mutable_javascript()->set_code(javascript.code);
  message.mutable_javascript()->set_grant_profile(javascript.grant_profile);
  return message.SerializeAsString();
}

}  // namespace plimsoll::client
