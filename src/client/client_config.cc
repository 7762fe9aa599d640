#include "client/client_config.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

#include "client/small_file.h"
#include "core/mistakes.h"

namespace plimsoll::client {
namespace {

void check_range(std::string_view name, Millis value, Millis most, Mistakes& mistakes) {
  if (value >= Millis(1) && value <= most) return;
  mistakes.add(fmt::format("{} is {} ms; 1 to {} are accepted", name, value.count(), most.count()));
}

bool holds_certificate(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&::BIO_free)> bio(
      ::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &::BIO_free);
  if (bio == nullptr) throw std::bad_alloc();
  const std::unique_ptr<X509, decltype(&::X509_free)> first(
      ::PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &::X509_free);
  ::ERR_clear_error();
  return first != nullptr;
}

std::string read_authorities(const std::string& path, Mistakes& mistakes) {
  auto pem = read_small_file(path, kMaxCaFileBytes, FileKind::kPublic);
  if (!pem) {
    mistakes.add(fmt::format("ca_file {} {}", path, pem.error().message));
    return {};
  }
  if (!holds_certificate(*pem)) {
    mistakes.add(fmt::format("ca_file {} holds no certificate in PEM", path));
  }
  return *std::move(pem);
}

}  // namespace

Result<CheckedConfig> check_config(const ClientConfig& config) {
  Mistakes mistakes;
  CheckedConfig checked(config);
  if (auto origin = parse_origin(config.base_url)) {
    checked.origin_ = *std::move(origin);
    if (checked.only_to_loopback() && checked.origin_.kind == Host::kElsewhere) {
      mistakes.add(
          "base_url is http:// to another host, which everybody on the way could read; https:// is "
          "accepted, and http:// to 127.0.0.0/8, [::1] and localhost (or "
          "Cleartext::kInsecureAnywhere)");
    }
  } else {
    mistakes.add("base_url " + origin.error());
  }
  if (config.token.reveal().empty()) mistakes.add("token was moved away");
  if (!config.ca_file.empty()) {
    if (checked.origin_.scheme == Scheme::kHttp) {
      mistakes.add("ca_file is set, but base_url is cleartext, where it protects nothing");
    }
    checked.ca_pem_ = read_authorities(config.ca_file, mistakes);
  }
  check_range("connect_timeout", config.connect_timeout, kMaxConnectTimeout, mistakes);
  check_range("slack", config.slack, kMaxSlack, mistakes);
  if (config.max_idle_connections > kMaxIdleConnections) {
    mistakes.add(fmt::format("max_idle_connections is {}; 0 to {} are accepted",
                             config.max_idle_connections, kMaxIdleConnections));
  }
  if (mistakes.none()) return checked;
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

}  // namespace plimsoll::client
