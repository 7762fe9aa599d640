// Broker, as the service runs it: the order of decisions of one call, readable from top to bottom.
#pragma once

#include <memory>

#include "base/clock.h"
#include "broker/broker.h"
#include "broker/frozen_grant.h"
#include "broker/http_transport.h"
#include "plimsoll/secret.h"

namespace plimsoll {

// No call takes longer, whatever the run's deadline is.
inline constexpr std::chrono::milliseconds kCallTimeout{30'000};
inline constexpr std::chrono::milliseconds kProbeTimeout{2'000};

// The broker of a run over any transport. `credential` is what the transport puts on requests; it
// is looked for in the answers. `clock` lives as long. Errors: kInfrastructure.
[[nodiscard]] Result<std::unique_ptr<Broker>> make_run_broker(
    const Grant& grant, const BrokerContext& context, const Clock& clock, Secret credential,
    std::unique_ptr<HttpTransport> transport);

}  // namespace plimsoll
