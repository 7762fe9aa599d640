#include "plimsoll/client.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "client/calls.h"
#include "client/client_config.h"
#include "client/describe_answer.h"
#include "client/error_answer.h"
#include "client/lane_pool.h"
#include "client/run_answer.h"
#include "client/wire_request.h"

namespace plimsoll {
namespace {

constexpr std::string_view kProto = "application/proto";

Clock::Monotonic deadline_of(Millis length, const CallOptions& options) {
  const auto end = std::chrono::steady_clock::now() + length;
  return options.deadline ? std::min(end, *options.deadline) : end;
}

ClientError to_client_error(Error error) {
  ClientError out;
  static_cast<Error&>(out) = std::move(error);
  return out;
}

}  // namespace

ClientResult<std::string> Client::Calls::answer(const client::HttpCall& call) {
  if (call.cancel.stop_requested()) {
    return std::unexpected(client::from_failure({.fault = client::HttpFault::kCanceled,
                                                 .sent = client::Sent::kNothing,
                                                 .message = "canceled before the call"}));
  }
  auto reply = http_->post(call);
  if (!reply) return std::unexpected(client::from_failure(std::move(reply).error()));
  if (reply->status != 200 || reply->content_type != kProto) {
    return std::unexpected(client::from_error_answer(*reply));
  }
  return std::move(reply->body);
}

ClientResult<RemoteOutcome> Client::Calls::run(const RunRequest& request,
                                               const CallOptions& options) {
  auto asked = client::to_asked_run(request, options);
  if (!asked) return std::unexpected(to_client_error(std::move(asked).error()));
  const Millis timeout = request.timeout == Millis(0) ? kDefaultTimeout : request.timeout;
  const std::string body = client::encode_run_request(*asked, options.trace_id);
  const auto bytes = answer({.path = client::kRunPath,
                             .body = body,
                             .deadline = deadline_of(2 * timeout + slack_, options),
                             .cancel = options.cancel});
  if (!bytes) return std::unexpected(bytes.error());
  auto decoded = client::decode_run_answer(*bytes);
  if (!decoded) {
    ClientError error;
    error.message = "the answer makes no sense: " + decoded.error();
    return std::unexpected(std::move(error));
  }
  if (auto refuted = client::refute(*decoded, *asked, request.minimum_isolation)) {
    return std::unexpected(*std::move(refuted));
  }
  return std::move(decoded->remote);
}

ClientResult<Description> Client::Calls::describe(const CallOptions& options) {
  const auto bytes = answer({.path = client::kDescribePath,
                             .body = {},
                             .deadline = deadline_of(slack_, options),
                             .cancel = options.cancel});
  if (!bytes) return std::unexpected(bytes.error());
  return client::decode_description(*bytes);
}

Result<Client> Client::build(const ClientConfig& config) {
  auto checked = client::check_config(config);
  if (!checked) return std::unexpected(std::move(checked).error());
  return Client(
      std::make_unique<Calls>(std::make_unique<client::LanePool>(*checked), config.slack));
}

Client::Client(std::unique_ptr<Calls> calls) : calls_(std::move(calls)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

ClientResult<RemoteOutcome> Client::run_javascript(const RunRequest& request,
                                                   const CallOptions& options) {
  return calls_->run(request, options);
}

ClientResult<Description> Client::describe(const CallOptions& options) {
  return calls_->describe(options);
}

}  // namespace plimsoll
