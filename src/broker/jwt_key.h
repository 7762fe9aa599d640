// A key that signs JWTs. Hostile input here is a key file that somebody prepared.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "plimsoll/result.h"
#include "plimsoll/secret.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {

inline constexpr std::size_t kMaxKeyBytes = 16'384;
inline constexpr std::size_t kMinHmacKeyBytes = 32;  // RFC 7518, 3.2

// "HS256", "ES256", "EdDSA".
[[nodiscard]] std::string_view to_string(JwtAlgorithm algorithm) noexcept;

// Held by OpenSSL, which wipes it when it goes. Safe for concurrent use.
class JwtKey {
 public:
  // HS256: the bytes themselves, kMinHmacKeyBytes or more. ES256 and EdDSA: a private key of the
  // curves P-256 and Ed25519 as PEM, without a passphrase, which is never asked for. Errors: what
  // is accepted, never what stood there; without a full stop.
  [[nodiscard]] static std::expected<JwtKey, std::string> read(JwtAlgorithm algorithm,
                                                               const Secret& bytes);

  // The signature as JWS has it (RFC 7518, 3.2 and 3.4; RFC 8037, 3.1), binary. Errors:
  // kInfrastructure.
  [[nodiscard]] Result<std::string> sign(std::string_view message) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const noexcept;
  };

  JwtKey(JwtAlgorithm algorithm, EVP_PKEY* key) noexcept : algorithm_(algorithm), key_(key) {}

  JwtAlgorithm algorithm_;
  std::unique_ptr<EVP_PKEY, Free> key_;
};

}  // namespace plimsoll
