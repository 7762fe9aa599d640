#include "grants/grant_profiles.h"

#include <fmt/format.h>

#include <expected>
#include <filesystem>
#include <memory>
#include <utility>

#include "broker/jwt_key.h"
#include "grants/operator_file.h"
#include "grants/profiles_reader.h"

namespace plimsoll {
namespace {

using Minter = std::shared_ptr<const TokenMinter>;

// The part of an error that follows the field.
std::unexpected<std::string> wrong(std::string_view field, std::string_view what) {
  return std::unexpected(fmt::format("token.{} {}", field, what));
}

std::expected<Minter, std::string> static_minter(const TokenSpec& token,
                                                 const VariableReader& variable) {
  Secret bearer = variable(token.env);
  if (bearer.empty()) return wrong("env", fmt::format("names {}, which is not set", token.env));
  auto minter = static_token(std::move(bearer));
  if (!minter) return wrong("env", fmt::format("names {}: {}", token.env, minter.error().message));
  return std::move(*minter);
}

std::expected<Secret, std::string> read_key(const TokenSpec& token, const std::string& folder,
                                            const VariableReader& variable) {
  if (token.algorithm == JwtAlgorithm::kHs256) {
    Secret key = variable(token.secret_env);
    if (!key.empty()) return key;
    return wrong("secret_env", fmt::format("names {}, which is not set", token.secret_env));
  }
  const std::string path = (std::filesystem::path(folder) / token.key_file).string();
  auto key = read_operator_file(path, kMaxKeyBytes, FileReaders::kOwnerAndGroup);
  if (!key) return wrong("key_file", key.error());
  return key;
}

std::expected<Minter, std::string> minter_of(const TokenSpec& token, const std::string& folder,
                                             const VariableReader& variable) {
  if (token.type == TokenType::kNone) return nullptr;
  if (token.type == TokenType::kStatic) return static_minter(token, variable);
  auto key = read_key(token, folder, variable);
  if (!key) return std::unexpected(std::move(key.error()));
  auto minter = jwt_minter({.algorithm = token.algorithm,
                            .key = std::move(*key),
                            .audience = token.audience,
                            .issuer = token.issuer,
                            .key_id = token.key_id,
                            .ttl = token.ttl});
  if (!minter) {
    return std::unexpected("token: " + minter.error().message);
  }
  return std::move(*minter);
}

}  // namespace

Result<GrantProfiles> GrantProfiles::load(const std::string& path, const VariableReader& variable) {
  auto read = read_profiles_file(path);
  if (!read) return std::unexpected(std::move(read.error()));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  GrantProfiles profiles;
  std::vector<std::string> mistakes;
  for (GrantProfile& profile : *read) {
    auto minter = minter_of(profile.token, folder, variable);
    if (!minter) {
      mistakes.push_back(place_of(profile) + minter.error());
      continue;
    }
    GrantConfig config = profile.grant;
    config.minter = std::move(*minter);
    auto grant = Grant::build(std::move(config));
    if (!grant) {
      mistakes.push_back(place_of(profile) + grant.error().message);
      continue;
    }
    std::string name = profile.name;
    profiles.profiles_.emplace(
        std::move(name), LoadedProfile{.profile = std::move(profile), .grant = std::move(*grant)});
  }
  if (mistakes.empty()) return profiles;
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                               .message = fmt::format("{}: {}", path, fmt::join(mistakes, "; ")),
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

const LoadedProfile* GrantProfiles::find(std::string_view name, std::string_view caller) const {
  const auto at = profiles_.find(name);
  return at == profiles_.end() || !at->second.profile.permits(caller) ? nullptr : &at->second;
}

}  // namespace plimsoll
