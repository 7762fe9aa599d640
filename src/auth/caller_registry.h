// The caller registry: who may call, by the fingerprint of whose token. The file's form is
//   {"clients": [{"id": "ann", "token_sha256": "<64 hex digits>", "scopes": ["code:run"]}]}
// and nothing else: what is not understood is an error, never ignored.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/token.h"
#include "plimsoll/result.h"

namespace plimsoll {

inline constexpr std::size_t kMaxRegistryBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxCallers = 4096;  // each is compared at every request
inline constexpr std::size_t kMaxScopes = 32;     // of one caller
inline constexpr std::size_t kMaxScopeBytes = 128;

// Permits the running of code.
inline constexpr std::string_view kScopeCodeRun = "code:run";

// 1 to kMaxCallerBytes bytes of UTF-8. Any character: whoever prints an id escapes it.
[[nodiscard]] bool is_caller_id(std::string_view id) noexcept;

// 1 to kMaxScopeBytes characters of RFC 6749's scope-token (visible ASCII but '"' and '\'), and not
// "*", which is reserved.
[[nodiscard]] bool is_scope(std::string_view scope) noexcept;

// What is_scope() accepts, for messages.
inline constexpr std::string_view kScopeForm =
    "1 to 128 visible ASCII characters without blanks, quotes and backslashes are accepted, and "
    "'*' "
    "is reserved";

struct RegisteredCaller {
  std::string id;
  TokenFingerprint token;
  std::vector<std::string> scopes;
};

// Valid by construction: ids and fingerprints are unique, each caller has a scope. A value; safe
// for concurrent reading.
class CallerRegistry {
 public:
  CallerRegistry() = default;

  // Reads a registry file's bytes. A registry without callers is valid here. Errors: kInvalidConfig
  // that names every mistake by its place ("clients[3].scopes[0]") and what is accepted; never the
  // content, for a token may stand where its fingerprint belongs.
  [[nodiscard]] static Result<CallerRegistry> parse(std::string_view json);

  [[nodiscard]] std::span<const RegisteredCaller> callers() const noexcept { return callers_; }
  [[nodiscard]] const RegisteredCaller* find(std::string_view id) const noexcept;

  // The file's bytes, which parse() reads back as the same registry.
  [[nodiscard]] std::string to_json() const;

  // Each returns a new registry, or kInvalidRequest: an id that exists, or does not; a fingerprint
  // of another caller; a scope that is none; more than kMaxCallers.
  [[nodiscard]] Result<CallerRegistry> with(RegisteredCaller caller) const;
  [[nodiscard]] Result<CallerRegistry> with_token(std::string_view id,
                                                  const TokenFingerprint& token) const;
  [[nodiscard]] Result<CallerRegistry> without(std::string_view id) const;

 private:
  std::vector<RegisteredCaller> callers_;
};

}  // namespace plimsoll
