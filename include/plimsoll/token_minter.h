// Where the credential of a run comes from. The guest never sees one: the broker asks for it, once
// a run, and puts it on each request that it sends.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plimsoll/result.h"
#include "plimsoll/secret.h"

namespace plimsoll {

// What a credential is asked for.
struct MintScope {
  std::string base_url{};             // the API's origin
  std::vector<std::string> allow{};   // the run's routes, as the grant names them
  std::vector<std::string> scopes{};  // of the grant
  std::chrono::seconds ttl{0};  // the longest life that makes sense: the rest of the run + 5 s
  std::string subject{};        // the authenticated caller; empty: nobody was authenticated
};

// The longest credential that is sent, in bytes.
inline constexpr std::size_t kMaxCredentialBytes = 16'384;

// The seam. mint() is called once a run, from any thread, concurrently. A token is 1 to
// kMaxCredentialBytes bytes of visible ASCII (0x21 to 0x7E); anything else refuses the run. Errors
// refuse the run before it starts; their message goes to the caller and must hold no secret.
class TokenMinter {
 public:
  virtual ~TokenMinter() = default;
  [[nodiscard]] virtual Result<Secret> mint(const MintScope& scope) const = 0;

 protected:
  TokenMinter() = default;
  TokenMinter(const TokenMinter&) = default;
  TokenMinter& operator=(const TokenMinter&) = default;
};

// The same bearer token for every run. Errors: kInvalidConfig, it is no token.
[[nodiscard]] Result<std::shared_ptr<const TokenMinter>> static_token(Secret bearer);

// How a JWT is signed (RFC 7518, 3.1; RFC 8037).
enum class JwtAlgorithm : std::uint8_t { kHs256, kEs256, kEdDsa };

// A fresh JWT for every run, whose `sub` is the caller: a run without one is refused.
struct JwtConfig {
  JwtAlgorithm algorithm = JwtAlgorithm::kHs256;
  Secret key{};                     // HS256: 32 bytes or more; else a private key as PEM (PKCS #8)
  std::string audience{};           // `aud`; needed
  std::string issuer = "plimsoll";  // `iss`
  std::string key_id{};             // the header's `kid`; empty: there is none
  std::chrono::seconds ttl{60};     // 1 s to 1 h; never past the end of the run + 5 s
};

// Errors: kInvalidConfig, every mistake named, the key never shown.
[[nodiscard]] Result<std::shared_ptr<const TokenMinter>> jwt_minter(JwtConfig config);

}  // namespace plimsoll
