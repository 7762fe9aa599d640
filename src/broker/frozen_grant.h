// A grant, read and checked: what Grant holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/allow_list.h"
#include "broker/http_transport.h"
#include "broker/origin.h"
#include "plimsoll/grant.h"

namespace plimsoll {

// Immutable once it is in a Grant.
struct FrozenGrant {
  GrantConfig config;
  Origin origin;
  AllowList allow;
  AllowList catalog;                  // permits nothing
  std::optional<Route> health_check;  // GET, without wildcards and query
  TransportFactory make_transport = nullptr;
  std::shared_ptr<Resolver> resolver;  // null: the host's
  std::string ca_file;

  [[nodiscard]] PeerRule peers() const noexcept {
    if (origin.is_loopback()) return PeerRule::kLoopbackOnly;
    return config.private_addresses == PrivateAddresses::kAllowed ? PeerRule::kAnyUsable
                                                                  : PeerRule::kPublicOnly;
  }
};

// Reads `config`; null, and `mistakes`, when something is wrong. The transport is the caller's to
// set, so that who only checks a grant needs none.
[[nodiscard]] std::unique_ptr<FrozenGrant> read_grant(GrantConfig config,
                                                      std::vector<std::string>& mistakes);

}  // namespace plimsoll
