// The configuration of a client, checked as a whole.
#pragma once

#include <string>
#include <utility>

#include "client/origin.h"
#include "plimsoll/client.h"

namespace plimsoll::client {

inline constexpr std::size_t kMaxCaFileBytes = std::size_t{4} << 20;
inline constexpr Millis kMaxConnectTimeout{60'000};
inline constexpr Millis kMaxSlack{60'000};
inline constexpr std::size_t kMaxIdleConnections = 1024;

// Only check_config() makes one: whoever has one need not check again.
class CheckedConfig {
 public:
  [[nodiscard]] const Origin& origin() const noexcept { return origin_; }
  // The authorities' certificates in PEM, or empty: the system's.
  [[nodiscard]] const std::string& ca_pem() const noexcept { return ca_pem_; }
  // All but base_url and ca_file.
  [[nodiscard]] const ClientConfig& settings() const noexcept { return settings_; }
  // Whether the peer has to be this host, because nothing but that protects the token.
  [[nodiscard]] bool only_to_loopback() const noexcept {
    return origin_.scheme == Scheme::kHttp && settings_.cleartext == Cleartext::kLoopbackOnly;
  }

 private:
  friend Result<CheckedConfig> check_config(const ClientConfig& config);
  explicit CheckedConfig(ClientConfig config) : settings_(std::move(config)) {}

  ClientConfig settings_;
  Origin origin_;
  std::string ca_pem_;
};

// Reads config.ca_file. Errors: kInvalidConfig, not dispatched, every mistake named.
[[nodiscard]] Result<CheckedConfig> check_config(const ClientConfig& config);

}  // namespace plimsoll::client
