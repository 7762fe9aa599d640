#include "client/origin.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace plimsoll::client {
namespace {

constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;
constexpr std::string_view kAccepted =
    "is no origin; http:// or https:// with a host and perhaps a port is accepted, without user, "
    "path and query (https://sandbox.example:8443)";

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

std::optional<in_addr> ipv4(const std::string& text) noexcept {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<in6_addr> ipv6(const std::string& text) noexcept {
  in6_addr address{};
  if (::inet_pton(AF_INET6, text.c_str(), &address) != 1) return std::nullopt;
  return address;
}

bool is_loopback(const in_addr& address) noexcept { return (ntohl(address.s_addr) >> 24U) == 127; }
bool is_loopback(const in6_addr& address) noexcept {
  return std::memcmp(&address, &in6addr_loopback, sizeof address) == 0;
}

bool is_label(std::string_view label) noexcept {
  return !label.empty() && label.size() <= kMaxLabelBytes && std::ranges::all_of(label, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  });
}

// The last label of what inet_aton() would read as an address.
bool is_number(std::string_view label) noexcept {
  return std::ranges::all_of(label, is_digit) ||
         (label.starts_with("0x") &&
          label.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos);
}

bool is_name(std::string_view host) noexcept {
  if (host.size() > kMaxNameBytes) return false;
  for (;;) {
    const auto dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == std::string_view::npos) return !is_number(label);
    host.remove_prefix(dot + 1);
  }
}

// `host` with its brackets, in lower case; nullopt: no host.
std::optional<Host> classify(const std::string& host) {
  if (host.starts_with('[')) {
    const auto address = ipv6(host.substr(1, host.size() - 2));
    if (!address) return std::nullopt;
    return is_loopback(*address) ? Host::kLoopbackAddress : Host::kElsewhere;
  }
  if (const auto address = ipv4(host)) {
    return is_loopback(*address) ? Host::kLoopbackAddress : Host::kElsewhere;
  }
  if (!is_name(host)) return std::nullopt;
  return host == "localhost" ? Host::kLocalhost : Host::kElsewhere;
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::string Origin::url() const {
  return fmt::format("{}://{}:{}", scheme == Scheme::kHttp ? "http" : "https", host, port);
}

std::expected<Origin, std::string> parse_origin(std::string_view url) {
  const auto refused = [] { return std::unexpected(std::string(kAccepted)); };
  const auto mark = url.find("://");
  if (mark == std::string_view::npos) return refused();
  Origin origin;
  const std::string scheme = lower(url.substr(0, mark));
  if (scheme != "http" && scheme != "https") return refused();
  origin.scheme = scheme == "http" ? Scheme::kHttp : Scheme::kHttps;
  origin.port = origin.scheme == Scheme::kHttp ? 80 : 443;

  std::string_view rest = url.substr(mark + 3);
  const auto closing = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  if (rest.starts_with('[') && closing == std::string_view::npos) return refused();
  const auto host_end = closing != std::string_view::npos ? closing + 1 : rest.find(':');
  origin.host = lower(rest.substr(0, host_end));
  rest.remove_prefix(std::min(host_end, rest.size()));
  if (!rest.empty()) {
    const auto port = rest[0] == ':' ? parse_port(rest.substr(1)) : std::nullopt;
    if (!port) return refused();
    origin.port = *port;
  }
  const auto kind = classify(origin.host);
  if (!kind) return refused();
  origin.kind = *kind;
  return origin;
}

bool is_loopback_address(std::string_view address) noexcept {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.size() >= sizeof text) return false;
  std::ranges::copy(address, text);
  if (const auto v4 = ipv4(text)) return is_loopback(*v4);
  const auto v6 = ipv6(text);
  return v6 && is_loopback(*v6);
}

}  // namespace plimsoll::client
