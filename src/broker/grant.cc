#include "plimsoll/grant.h"

#include <fmt/format.h>

#include <utility>

#include "broker/curl_transport.h"
#include "broker/frozen_grant.h"

namespace plimsoll {

// The only place that names the HTTP library, so that a program which builds no grant does not
// load it: it and what it depends on cost 3 ms at every start.
Result<Grant> Grant::build(GrantConfig config) {
  std::vector<std::string> mistakes;
  auto frozen = read_grant(std::move(config), mistakes);
  if (!frozen) {
    return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                                 .message = fmt::format("the grant: {}", fmt::join(mistakes, "; ")),
                                 .not_dispatched = NotDispatchedReason::kEnvironment});
  }
  frozen->make_transport = make_curl_transport;
  return Grant(std::shared_ptr<const FrozenGrant>(std::move(frozen)));
}

}  // namespace plimsoll
