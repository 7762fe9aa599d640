// An IP address, and whether a run may talk to it. Stops a name in the DNS that leads to the host
// itself, its neighbours or a cloud's metadata service.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// A value. IPv4 is held as IPv4; a v4-mapped IPv6 address stays what it is.
class IpAddress {
 public:
  // Dotted quad with decimal octets without leading zeros, or RFC 4291 text without brackets and
  // without a zone. nullopt for anything else: no "127.1", no "0x7f000001".
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);
  // AF_INET or AF_INET6; nullopt for other families and for a short address.
  [[nodiscard]] static std::optional<IpAddress> from(const sockaddr* address, socklen_t size);

  [[nodiscard]] bool is_v4() const noexcept { return v4_; }
  [[nodiscard]] std::string to_text() const;  // without brackets
  // Big-endian; of IPv4 the first four.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  bool v4_ = true;
  std::array<std::uint8_t, 16> bytes_{};
};

enum class AddressClass : std::uint8_t {
  kPublic,
  kLoopback,
  kPrivate,    // RFC 1918, CGNAT, unique local, and other blocks that the Internet does not route
  kLinkLocal,  // with the metadata services of clouds
  kUnusable,   // unspecified, multicast, broadcast, reserved: no peer of a TCP connection
};

// IPv6 forms that carry an IPv4 address (v4-mapped, v4-compatible, NAT64, 6to4, Teredo) have the
// class of what they carry, when that is not public.
[[nodiscard]] AddressClass classify(const IpAddress& address) noexcept;

// Which addresses an origin may have.
enum class PeerRule : std::uint8_t {
  kPublicOnly,
  kAnyUsable,     // the grant allows private addresses
  kLoopbackOnly,  // the origin's host is loopback
};

[[nodiscard]] bool may_connect(PeerRule rule, const IpAddress& address) noexcept;

}  // namespace plimsoll
