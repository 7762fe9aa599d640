#include "config/listen_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace plimsoll {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

// 127.0.0.0/8 (RFC 1122, 3.2.1.3).
std::optional<ListenAddress> parse_ipv4(const std::string& host) {
  in_addr address{};
  if (::inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
  return ListenAddress{.host = host, .loopback = ntohl(address.s_addr) >> 24 == 127};
}

// ::1 (RFC 4291, 2.5.3); and ::ffff:127.x.x.x, which is the other family's.
std::optional<ListenAddress> parse_ipv6(const std::string& host) {
  in6_addr address{};
  if (::inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::nullopt;
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&address) != 0 && address.s6_addr[12] == 127;
  return ListenAddress{
      .host = host, .ipv6 = true, .loopback = IN6_IS_ADDR_LOOPBACK(&address) != 0 || mapped};
}

}  // namespace

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  std::string host(text.substr(0, colon));
  std::optional<ListenAddress> address;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    address = parse_ipv6(host.substr(1, host.size() - 2));
  } else {
    address = parse_ipv4(host == "localhost" ? "127.0.0.1" : host);
  }
  if (address) address->port = *port;
  return address;
}

}  // namespace plimsoll
