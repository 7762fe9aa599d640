// Where a service is: scheme, host and port, and nothing else (RFC 6454). A URL with more in it
// (user, path, query) is refused and not trimmed: what was meant by it would be lost.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace plimsoll::client {

enum class Scheme : std::uint8_t { kHttp, kHttps };

// What kLocalhost resolves to is decided here, never by a resolver.
enum class Host : std::uint8_t { kElsewhere, kLoopbackAddress, kLocalhost };

struct Origin {
  Scheme scheme = Scheme::kHttps;
  std::string host;  // lower case; an IPv6 address in brackets
  std::uint16_t port = 0;
  Host kind = Host::kElsewhere;

  // "https://example.com:443", the port always written.
  [[nodiscard]] std::string url() const;
};

// The scheme in any case; the host a DNS name (1 to 253 bytes of letters, digits, '-', '_' and
// '.'), an IPv4 address in dotted decimal, or an IPv6 address in brackets without a zone; the port
// 1 to 65535, else the scheme's own. A name that resolvers take for a number ("127.1",
// "0x7f000001") is refused: it would be an address that nothing here has judged. The error says
// what is accepted, without the URL.
[[nodiscard]] std::expected<Origin, std::string> parse_origin(std::string_view url);

// Whether an address, as curl prints it, is one of this host's loopback.
[[nodiscard]] bool is_loopback_address(std::string_view address) noexcept;

}  // namespace plimsoll::client
