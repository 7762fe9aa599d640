// HTTP/1.1 by libcurl.
#pragma once

#include <memory>

#include "broker/http_transport.h"

namespace plimsoll {

// Errors: kInfrastructure (no descriptors, libcurl does not initialise).
[[nodiscard]] Result<std::unique_ptr<HttpTransport>> make_curl_transport(TransportOptions options);

}  // namespace plimsoll
