#include <algorithm>
#include <chrono>
#include <utility>

#include "broker/broker.h"
#include "broker/frozen_grant.h"
#include "broker/header_policy.h"
#include "broker/run_broker.h"

namespace plimsoll {
namespace {

constexpr std::chrono::seconds kGrace{5};  // that a credential may outlive its run

std::unexpected<Error> refused(ErrorCode code, NotDispatchedReason reason, std::string message) {
  return std::unexpected(
      Error{.code = code, .message = std::move(message), .not_dispatched = reason});
}

Result<Secret> mint(const FrozenGrant& grant, const BrokerContext& context, const Clock& clock) {
  if (!grant.config.minter) return Secret();
  const auto left = std::chrono::floor<std::chrono::seconds>(context.deadline - clock.now());
  auto token = grant.config.minter->mint({.base_url = grant.config.base_url,
                                          .allow = grant.config.allow,
                                          .scopes = grant.config.scopes,
                                          .ttl = std::max(left, std::chrono::seconds(0)) + kGrace,
                                          .subject = context.caller});
  if (!token) {
    Error error = token.error();
    error.not_dispatched = error.code == ErrorCode::kInvalidRequest
                               ? NotDispatchedReason::kPermission
                               : NotDispatchedReason::kEnvironment;
    return std::unexpected(std::move(error));
  }
  if (!is_credential(token->reveal())) {
    return refused(ErrorCode::kInfrastructure, NotDispatchedReason::kEnvironment,
                   "the minter made something that is no token: visible ASCII without blanks is");
  }
  return token;
}

}  // namespace

Result<std::unique_ptr<Broker>> open_broker(const Grant& grant, const BrokerContext& context,
                                            const Clock& clock) {
  const FrozenGrant& frozen = grant.frozen();
  auto credential = mint(frozen, context, clock);
  if (!credential) return std::unexpected(std::move(credential.error()));
  auto transport = frozen.make_transport({.origin = frozen.origin,
                                          .peers = frozen.peers(),
                                          .credential = credential->copy(),
                                          .max_body_bytes = kMaxReplyBodyBytes,
                                          .resolver = frozen.resolver,
                                          .ca_file = frozen.ca_file});
  if (!transport) {
    return refused(transport.error().code, NotDispatchedReason::kEnvironment,
                   transport.error().message);
  }
  return make_run_broker(grant, context, clock, std::move(*credential), std::move(*transport));
}

}  // namespace plimsoll
