// One named grant of the profiles file: what an operator permits, and to whom.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/advice.h"
#include "plimsoll/grant.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {

inline constexpr std::size_t kMaxProfiles = 256;
inline constexpr std::size_t kMaxAllowedCallers = 4096;
inline constexpr std::chrono::seconds kMaxTokenTtl{3600};

enum class TokenType : std::uint8_t { kNone, kStatic, kJwt };

// Where the credential comes from; holds names of places, no secret.
struct TokenSpec {
  TokenType type = TokenType::kNone;
  std::string env{};         // static: the variable with the bearer
  std::string secret_env{};  // jwt, HS256: the variable with the key
  std::string key_file{};    // jwt, ES256 and EdDSA: the file with the key
  JwtAlgorithm algorithm = JwtAlgorithm::kHs256;
  std::chrono::seconds ttl{60};
  std::string issuer = "plimsoll";
  std::string audience{};
  std::string key_id{};
};

struct GrantProfile {
  std::string name{};                          // a WireName
  GrantConfig grant{};                         // without its minter
  std::vector<std::string> allowed_callers{};  // never empty; "*" alone: every authenticated caller
  AdviceRetention advice_retention = AdviceRetention::kNone;
  TokenSpec token{};
  std::string preamble_file{};

  [[nodiscard]] bool permits_everybody() const {
    return allowed_callers.size() == 1 && allowed_callers.front() == "*";
  }
  // An empty caller is nobody: it was not authenticated.
  [[nodiscard]] bool permits(std::string_view caller) const;
};

}  // namespace plimsoll
