#include "client/describe_answer.h"

#include <fmt/format.h>
#include <plimsoll/v1/sandbox.pb.h>

#include <utility>

#include "client/parse_message.h"
#include "client/printable.h"
#include "client/wire_evidence.h"
#include "core/run_payload.h"

namespace plimsoll::client {
namespace {

constexpr std::size_t kMaxTierBytes = 32;

std::unexpected<ClientError> refuse(ErrorCode code, std::string message) {
  ClientError error;
  error.code = code;
  error.message = std::move(message);
  return std::unexpected(std::move(error));
}

PayloadEnvironment to_environment(const v1::PayloadEnvironment& message) {
  return {.identity = message.identity(),
          .max_timeout = Millis(message.max_timeout_ms()),
          .software_identity = message.software_identity(),
          .languages = {message.languages().begin(), message.languages().end()}};
}

}  // namespace

ClientResult<Description> decode_description(std::string_view bytes) {
  v1::DescribeResponse message;
  if (!parse_message(bytes, message)) {
    return refuse(ErrorCode::kInfrastructure,
                  "the answer makes no sense: it is no DescribeResponse");
  }
  if (message.protocol() != kWireProtocol) {
    return refuse(ErrorCode::kUnsupported,
                  fmt::format("the service speaks protocol {}; this client speaks {}",
                              message.protocol(), kWireProtocol));
  }
  auto evidence = from_wire(message.evidence());
  if (!evidence) {
    return refuse(ErrorCode::kInfrastructure, "the answer makes no sense: " + evidence.error());
  }
  // A service whose execution is off has the tier "unknown", and says so in both places.
  if (!message.has_evidence() || message.evidence().tier() != message.isolation()) {
    return refuse(ErrorCode::kEvidenceMismatch,
                  fmt::format("the evidence is of the tier {}, but the answer says {}",
                              printable(message.evidence().tier(), kMaxTierBytes),
                              printable(message.isolation(), kMaxTierBytes)));
  }
  Description out{.sandbox = message.sandbox(),
                  .evidence = *std::move(evidence),
                  .protocol = message.protocol(),
                  .policy = message.policy(),
                  .supports_project = message.supports_project(),
                  .supports_module = message.supports_module(),
                  .supports_javascript_grants = message.supports_javascript_grants(),
                  .supports_project_grants = message.supports_project_grants(),
                  .supports_sessions = message.supports_sessions(),
                  .session_lifetime = Millis(message.session_lifetime_ms()),
                  .session_idle_timeout = Millis(message.session_idle_timeout_ms()),
                  .resources = {.memory_mb = message.resources().memory_mb(),
                                .cpus = message.resources().cpus(),
                                .pids = message.resources().pids(),
                                .disk_mb = message.resources().disk_mb()}};
  if (message.has_javascript_environment()) {
    out.javascript = to_environment(message.javascript_environment());
  }
  if (message.has_project_environment()) {
    out.project = to_environment(message.project_environment());
  }
  if (message.has_module_environment()) out.module = to_environment(message.module_environment());
  return out;
}

}  // namespace plimsoll::client
