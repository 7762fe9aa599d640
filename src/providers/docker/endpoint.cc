#include "providers/docker/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::docker {

namespace {

constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kTcp = "tcp://";

std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                               .message = std::move(message),
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

// A host name or address, without what would turn a URL into another one.
bool is_authority(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
}

Result<Endpoint> unix_endpoint(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.find('\0') != std::string_view::npos) {
    return invalid("docker.host is not unix:///PATH with an absolute path");
  }
  if (path.size() > kMaxSocketPathBytes) {
    return invalid(fmt::format("docker.host: the socket's path has {} bytes; at most {} fit",
                               path.size(), kMaxSocketPathBytes));
  }
  return Endpoint{.socket_path = std::string(path), .base_url = "http://engine"};
}

Result<Endpoint> tcp_endpoint(std::string_view authority, std::string_view certs) {
  const auto colon = authority.rfind(':');
  if (!is_authority(authority) || colon == std::string_view::npos ||
      colon + 1 == authority.size() ||
      authority.substr(colon + 1).find_first_not_of("0123456789") != std::string_view::npos) {
    return invalid("docker.host is not tcp://HOST:PORT");
  }
  if (certs.empty()) {
    return invalid(
        "docker.host is tcp without docker.certs: whoever can talk to an engine is root there; "
        "name a folder with ca.pem, cert.pem and key.pem");
  }
  const std::string folder(certs);
  return Endpoint{.base_url = fmt::format("https://{}", authority),
                  .ca_file = folder + "/ca.pem",
                  .cert_file = folder + "/cert.pem",
                  .key_file = folder + "/key.pem"};
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view host, std::string_view certs) {
  if (host.starts_with(kUnix)) return unix_endpoint(host.substr(kUnix.size()));
  if (host.starts_with(kTcp)) return tcp_endpoint(host.substr(kTcp.size()), certs);
  return invalid("docker.host is neither unix:///PATH nor tcp://HOST:PORT");
}

}  // namespace plimsoll::docker
