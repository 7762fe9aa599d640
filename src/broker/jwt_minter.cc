#include "broker/jwt_minter.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/utf8.h"
#include "broker/jwt_key.h"

namespace plimsoll {
namespace {

using std::chrono::seconds;

constexpr seconds kMaxTtl{3600};
constexpr seconds kBehind{5};
constexpr std::size_t kMaxClaimBytes = 1024;

// RFC 4648, 5, without padding.
std::string base64url(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::string header_of(const JwtConfig& config) {
  std::string json = R"({"alg":)" + json_string(to_string(config.algorithm)) + R"(,"typ":"JWT")";
  if (!config.key_id.empty()) json += R"(,"kid":)" + json_string(config.key_id);
  return json + "}";
}

class JwtMinter final : public TokenMinter {
 public:
  JwtMinter(JwtConfig config, JwtKey key, const Clock& clock, Entropy& entropy)
      : config_(std::move(config)), key_(std::move(key)), clock_(&clock), entropy_(&entropy) {
    config_.key = Secret();
    header_ = base64url(header_of(config_));
  }

  [[nodiscard]] Result<Secret> mint(const MintScope& scope) const override;

 private:
  [[nodiscard]] std::string claims(const MintScope& scope, std::string_view id) const;

  JwtConfig config_;  // without its key
  JwtKey key_;
  const Clock* clock_;
  Entropy* entropy_;
  std::string header_;
};

std::string JwtMinter::claims(const MintScope& scope, std::string_view id) const {
  const auto now = std::chrono::floor<seconds>(clock_->wall_now()).time_since_epoch();
  std::string json = R"({"iss":)" + json_string(config_.issuer) + R"(,"aud":)" +
                     json_string(config_.audience) + R"(,"sub":)" + json_string(scope.subject);
  if (!scope.scopes.empty()) {
    json += R"(,"scope":)" + json_string(fmt::format("{}", fmt::join(scope.scopes, " ")));
  }
  json +=
      fmt::format(R"(,"iat":{},"nbf":{},"exp":{},"jti":"{}"}})", now.count(),
                  (now - kBehind).count(), (now + std::min(config_.ttl, scope.ttl)).count(), id);
  return json;
}

Result<Secret> JwtMinter::mint(const MintScope& scope) const {
  if (scope.subject.empty()) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidRequest,
              .message = "the grant's token names its caller, and this one is not authenticated",
              .not_dispatched = NotDispatchedReason::kPermission});
  }
  std::array<std::byte, 16> random{};
  if (auto filled = entropy_->fill(random); !filled) return std::unexpected(filled.error());
  const std::string id = base64url({reinterpret_cast<const char*>(random.data()), random.size()});
  const std::string signed_part = header_ + "." + base64url(claims(scope, id));
  const auto signature = key_.sign(signed_part);
  if (!signature) return std::unexpected(signature.error());
  return Secret(signed_part + "." + base64url(*signature));
}

void check_claim(std::string_view name, std::string_view value,
                 std::vector<std::string>& mistakes) {
  if (value.size() > kMaxClaimBytes || !is_valid_utf8(value)) {
    mistakes.push_back(
        fmt::format("{} is no claim; up to {} bytes of UTF-8 are accepted", name, kMaxClaimBytes));
  }
}

}  // namespace

Result<std::shared_ptr<const TokenMinter>> make_jwt_minter(JwtConfig config, const Clock& clock,
                                                           Entropy& entropy) {
  std::vector<std::string> mistakes;
  auto key = JwtKey::read(config.algorithm, config.key);
  if (!key) mistakes.push_back("the key " + key.error());
  if (config.audience.empty()) mistakes.emplace_back("audience is empty; one is needed");
  if (config.issuer.empty()) mistakes.emplace_back("issuer is empty; one is needed");
  check_claim("audience", config.audience, mistakes);
  check_claim("issuer", config.issuer, mistakes);
  check_claim("key_id", config.key_id, mistakes);
  if (config.ttl < seconds(1) || config.ttl > kMaxTtl) {
    mistakes.push_back(
        fmt::format("ttl is {} s; 1 to {} is accepted", config.ttl.count(), kMaxTtl.count()));
  }
  if (!mistakes.empty()) {
    return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                                 .message = fmt::format("{}", fmt::join(mistakes, "; ")),
                                 .not_dispatched = NotDispatchedReason::kEnvironment});
  }
  return std::make_shared<const JwtMinter>(std::move(config), std::move(*key), clock, entropy);
}

Result<std::shared_ptr<const TokenMinter>> jwt_minter(JwtConfig config) {
  static const SystemClock kClock;
  static SystemEntropy entropy;
  return make_jwt_minter(std::move(config), kClock, entropy);
}

}  // namespace plimsoll
