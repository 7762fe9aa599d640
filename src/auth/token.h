// Bearer tokens: how one is read from a request, and the fingerprint that is all we ever keep of
// it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace plimsoll {

inline constexpr std::size_t kMaxTokenBytes = 4096;

// 1 to kMaxTokenBytes bytes of visible ASCII (0x21 to 0x7E).
[[nodiscard]] bool is_token(std::string_view text) noexcept;

// The token of one Authorization field value: the scheme "Bearer" in any case, one or more blanks,
// one token (RFC 9110, 11.6.2; RFC 6750, 2.1), with optional white space around it all. Wider than
// RFC 6750's b64token, since operators choose tokens of their own: any visible ASCII. nullopt for
// everything else. A view into `field_value`.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view field_value) noexcept;

// The SHA-256 of a token. Enough to recognise a token of 256 random bits, and nothing that leads
// back to it.
class TokenFingerprint {
 public:
  [[nodiscard]] static TokenFingerprint of(std::string_view token);
  // 64 hex digits of either case; nullopt for anything else.
  [[nodiscard]] static std::optional<TokenFingerprint> from_hex(std::string_view hex) noexcept;

  [[nodiscard]] std::string hex() const { return to_hex(digest_); }

  // Takes the same time whatever the two are, so that the time says nothing of how much was right.
  [[nodiscard]] bool matches(const TokenFingerprint& other) const noexcept;

 private:
  explicit TokenFingerprint(const Sha256Digest& digest) noexcept : digest_(digest) {}

  Sha256Digest digest_;
};

}  // namespace plimsoll
