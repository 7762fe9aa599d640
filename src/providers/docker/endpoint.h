// Where the container engine is. Whoever can talk to an engine is root on its host, so the only
// ways there are a socket of this host, which the file system guards, and TLS with certificates on
// both sides.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "plimsoll/result.h"

namespace plimsoll::docker {

// sun_path holds 108 bytes with its NUL.
inline constexpr std::size_t kMaxSocketPathBytes = 107;

struct Endpoint {
  std::string socket_path{};  // of a unix socket; empty: tcp
  std::string base_url{};     // scheme and authority; of a unix socket the latter is made up
  // PEM files of a tcp endpoint: the authority that signed the engine's certificate, and ours.
  std::string ca_file{};
  std::string cert_file{};
  std::string key_file{};

  [[nodiscard]] bool is_local() const noexcept { return !socket_path.empty(); }
};

// "unix:///PATH", or "tcp://HOST:PORT" with `certs`, a folder that holds ca.pem, cert.pem and
// key.pem. Pure: nothing is opened. Errors: kInvalidConfig.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view host, std::string_view certs);

}  // namespace plimsoll::docker
