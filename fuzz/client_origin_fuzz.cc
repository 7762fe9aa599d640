// Where a client connects to: what is accepted reads back as itself, and loopback is only what is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "client/origin.h"
#include "require.h"

using plimsoll::client::Host;
using plimsoll::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto origin = plimsoll::client::parse_origin(input);
  if (!origin) return 0;
  require(origin->port != 0, "a port");
  require(origin->host.find_first_of("/@?#\\% \t\r\n") == std::string_view::npos, "only a host");
  const auto again = plimsoll::client::parse_origin(origin->url());
  require(again && again->url() == origin->url() && again->kind == origin->kind, "one reading");
  if (origin->kind == Host::kLoopbackAddress) {
    std::string_view address = origin->host;
    if (address.starts_with('[')) address = address.substr(1, address.size() - 2);
    require(plimsoll::client::is_loopback_address(address), "loopback");
  }
  return 0;
}
