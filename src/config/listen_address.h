// Where a listener binds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// An IP address and a port. Port 0: the kernel picks one.
struct ListenAddress {
  std::string host;  // "127.0.0.1" or "::1": an address, never a name
  std::uint16_t port = 0;
  bool ipv6 = false;
  bool loopback = false;  // only this host can connect

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

inline constexpr std::string_view kListenForm = "127.0.0.1:PORT, [::1]:PORT or another IP address";

// "127.0.0.1:8746", "[::1]:8746", "localhost:8746" (which is 127.0.0.1), "0.0.0.0:8746". The
// address is always written: that a listener is open to every interface is said, not implied.
// nullopt for anything else.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace plimsoll
