#include "broker/origin.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

bool is_label(std::string_view label) noexcept {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !label.empty() && label.size() <= kMaxLabelBytes && std::ranges::all_of(label, fine) &&
         label.front() != '-' && label.back() != '-';
}

// Whether the URL standard takes the name for an IPv4 address: the last label is a number.
bool looks_like_number(std::string_view label) noexcept {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(label, digit) || label.starts_with("0x");
}

bool is_host_name(std::string_view host) noexcept {
  if (host.size() > kMaxHostBytes) return false;
  while (true) {
    const auto dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == std::string_view::npos) return !looks_like_number(label);
    host.remove_prefix(dot + 1);
  }
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  // The end goes along.
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || rest != end || port == 0 || text.front() == '0') return std::nullopt;
  return port;
}

std::unexpected<std::string> flaw(std::string_view text) {
  return std::unexpected(std::string(text));
}

constexpr std::string_view kForm =
    "is no origin; 'https://', a host in lower case and an optional port are accepted, without "
    "user, "
    "path, query and fragment";

}  // namespace

std::expected<Origin, std::string> Origin::parse(std::string_view text) {
  Origin origin;
  origin.text_ = text;
  if (text.starts_with("https://")) {
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
    origin.scheme_ = Scheme::kHttp;
    origin.port_ = 80;
  } else {
    return flaw(kForm);
  }
  const bool bracketed = text.starts_with('[');
  const auto host_end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && host_end == std::string_view::npos) return flaw(kForm);
  const std::string_view host = text.substr(bracketed ? 1 : 0, bracketed ? host_end - 1 : host_end);
  const std::string_view rest =
      host_end == std::string_view::npos ? "" : text.substr(host_end + (bracketed ? 1 : 0));
  origin.host_ = host;
  origin.address_ = IpAddress::parse(host);
  const bool is_address = origin.address_ && origin.address_->is_v4() != bracketed;
  if (!is_address && (bracketed || origin.address_ || !is_host_name(host))) return flaw(kForm);
  if (!rest.empty()) {
    const auto port = rest.size() > 1 && rest[0] == ':' ? parse_port(rest.substr(1)) : std::nullopt;
    if (!port) return flaw(kForm);
    origin.port_ = *port;
  }
  if (origin.scheme_ == Scheme::kHttp && !origin.is_loopback()) {
    return flaw("is http; https is needed, unless the host is loopback");
  }
  return origin;
}

bool Origin::is_loopback() const noexcept {
  if (!address_) return host_ == "localhost";
  return classify(*address_) == AddressClass::kLoopback && (address_->is_v4() || host_ == "::1");
}

}  // namespace plimsoll
