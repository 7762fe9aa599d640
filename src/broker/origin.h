// The one place that a grant's calls go to.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "broker/ip_address.h"

namespace plimsoll {

enum class Scheme : std::uint8_t { kHttp, kHttps };

// A value, valid by construction.
class Origin {
 public:
  // Reads "https://host[:port]", lower case, and nothing behind it. The host is a name (letters,
  // digits, dashes; its last label is no number, so that nobody reads it as an address), an IPv4
  // address in its one spelling, or an IPv6 address in brackets. http only where the host is
  // loopback. Errors: what is wrong and what is accepted, without a full stop.
  [[nodiscard]] static std::expected<Origin, std::string> parse(std::string_view text);

  [[nodiscard]] Scheme scheme() const noexcept { return scheme_; }
  [[nodiscard]] const std::string& host() const noexcept { return host_; }  // without brackets
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  // The host's own address, when it is one.
  [[nodiscard]] const std::optional<IpAddress>& address() const noexcept { return address_; }
  // localhost, 127.0.0.0/8 or ::1.
  [[nodiscard]] bool is_loopback() const noexcept;
  // As it was written.
  [[nodiscard]] const std::string& to_text() const noexcept { return text_; }

 private:
  Scheme scheme_ = Scheme::kHttps;
  std::string host_;
  std::uint16_t port_ = 443;
  std::optional<IpAddress> address_;
  std::string text_;
};

}  // namespace plimsoll
