#include "broker/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace plimsoll {
namespace {

struct Block {
  std::string_view text;
  unsigned bits;
  AddressClass its_class;
};

// IANA's registries of special-purpose addresses. The first that fits counts.
constexpr Block kV4Blocks[] = {
    {"0.0.0.0", 8, AddressClass::kUnusable},  // "this network"; Linux takes it for loopback
    {"10.0.0.0", 8, AddressClass::kPrivate},
    {"100.64.0.0", 10, AddressClass::kPrivate},  // carriers' NAT, RFC 6598
    {"127.0.0.0", 8, AddressClass::kLoopback},
    {"169.254.0.0", 16, AddressClass::kLinkLocal},
    {"172.16.0.0", 12, AddressClass::kPrivate},
    {"192.0.0.0", 24, AddressClass::kPrivate},     // protocol assignments
    {"192.0.2.0", 24, AddressClass::kPrivate},     // documentation
    {"192.31.196.0", 24, AddressClass::kPrivate},  // AS112
    {"192.52.193.0", 24, AddressClass::kPrivate},  // AMT
    {"192.88.99.0", 24, AddressClass::kPrivate},   // 6to4 relays
    {"192.168.0.0", 16, AddressClass::kPrivate},
    {"192.175.48.0", 24, AddressClass::kPrivate},  // AS112
    {"198.18.0.0", 15, AddressClass::kPrivate},    // benchmarks
    {"198.51.100.0", 24, AddressClass::kPrivate},  // documentation
    {"203.0.113.0", 24, AddressClass::kPrivate},   // documentation
    {"224.0.0.0", 3, AddressClass::kUnusable},     // multicast, reserved, broadcast
};
constexpr Block kV6Blocks[] = {
    {"::", 128, AddressClass::kUnusable},
    {"::1", 128, AddressClass::kLoopback},
    {"64:ff9b:1::", 48, AddressClass::kPrivate},  // local NAT64, RFC 8215
    {"100::", 64, AddressClass::kUnusable},       // discard
    {"2001::", 23, AddressClass::kPrivate},       // protocol assignments, Teredo
    {"2001:db8::", 32, AddressClass::kPrivate},   // documentation
    {"3fff::", 20, AddressClass::kPrivate},       // documentation
    {"5f00::", 16, AddressClass::kPrivate},       // segment routing
    {"fc00::", 7, AddressClass::kPrivate},        // unique local
    {"fe80::", 10, AddressClass::kLinkLocal},
    {"fec0::", 10, AddressClass::kPrivate},  // site-local, deprecated
    {"ff00::", 8, AddressClass::kUnusable},  // multicast
};

bool in_block(const IpAddress& address, const Block& block) noexcept {
  std::array<std::uint8_t, 16> prefix{};
  char text[INET6_ADDRSTRLEN] = {};
  std::ranges::copy(block.text, text);
  if (::inet_pton(address.is_v4() ? AF_INET : AF_INET6, text, prefix.data()) != 1) return true;
  const std::size_t whole = block.bits / 8;
  if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.bytes().begin())) {
    return false;
  }
  const unsigned rest = block.bits % 8;
  if (rest == 0) return true;
  const unsigned mask = (0xFFU << (8 - rest)) & 0xFFU;
  return ((static_cast<unsigned>(prefix[whole]) ^ address.bytes()[whole]) & mask) == 0;
}

IpAddress v4_of(const std::uint8_t* octets) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  std::memcpy(&address.sin_addr, octets, 4);
  return *IpAddress::from(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool starts_with(const IpAddress& address, std::span<const std::uint8_t> prefix) noexcept {
  return std::ranges::equal(std::span(address.bytes()).first(prefix.size()), prefix);
}

// The IPv4 address that this IPv6 address stands for.
std::optional<IpAddress> carried_v4(const IpAddress& address) {
  static constexpr std::uint8_t kMapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  static constexpr std::uint8_t kTranslated[] = {0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0};
  static constexpr std::uint8_t kCompatible[12] = {};
  static constexpr std::uint8_t kNat64[] = {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0};
  static constexpr std::uint8_t kSixToFour[] = {0x20, 0x02};
  if (address.is_v4()) return std::nullopt;
  const auto& bytes = address.bytes();
  for (const std::span<const std::uint8_t> prefix :
       {std::span<const std::uint8_t>(kMapped), std::span<const std::uint8_t>(kTranslated),
        std::span<const std::uint8_t>(kCompatible), std::span<const std::uint8_t>(kNat64)}) {
    if (starts_with(address, prefix)) return v4_of(&bytes[12]);
  }
  if (starts_with(address, kSixToFour)) return v4_of(&bytes[2]);
  return std::nullopt;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  // inet_pton() takes a C string, and neither zones nor short forms.
  char copy[INET6_ADDRSTRLEN] = {};
  if (text.size() >= sizeof copy || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::ranges::copy(text, copy);
  IpAddress address;
  address.v4_ = text.find(':') == std::string_view::npos;
  if (::inet_pton(address.v4_ ? AF_INET : AF_INET6, copy, address.bytes_.data()) != 1) {
    return std::nullopt;
  }
  return address;
}

std::optional<IpAddress> IpAddress::from(const sockaddr* address, socklen_t size) {
  IpAddress result;
  if (address == nullptr || size < sizeof(sa_family_t)) return std::nullopt;
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    std::memcpy(result.bytes_.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return result;
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    std::memcpy(result.bytes_.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    result.v4_ = false;
    return result;
  }
  return std::nullopt;
}

std::string IpAddress::to_text() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (::inet_ntop(v4_ ? AF_INET : AF_INET6, bytes_.data(), text, sizeof text) == nullptr) return {};
  return text;
}

AddressClass classify(const IpAddress& address) noexcept {
  const std::span<const Block> blocks =
      address.is_v4() ? std::span<const Block>(kV4Blocks) : std::span<const Block>(kV6Blocks);
  for (const Block& block : blocks) {
    if (in_block(address, block)) return block.its_class;
  }
  if (const auto v4 = carried_v4(address)) return classify(*v4);
  return AddressClass::kPublic;
}

bool may_connect(PeerRule rule, const IpAddress& address) noexcept {
  const AddressClass its_class = classify(address);
  switch (rule) {
    case PeerRule::kPublicOnly:
      return its_class == AddressClass::kPublic;
    case PeerRule::kAnyUsable:
      return its_class != AddressClass::kUnusable;
    case PeerRule::kLoopbackOnly:
      return its_class == AddressClass::kLoopback;
  }
  return false;
}

}  // namespace plimsoll
