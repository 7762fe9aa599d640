// Who is asking: from the Authorization header to a caller, and from a caller to what it may do.
// Both steps leave a proof that only they can make, so a pipeline that skips one does not compile.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "auth/caller_registry.h"

namespace plimsoll {

// The caller of a daemon with one shared token, and of one without any.
inline constexpr std::string_view kSharedCaller = "shared-token";
inline constexpr std::string_view kInsecureCaller = "insecure";

// Proof that a request came with a token that is registered (or that the operator asks for none).
// Cheap to copy; outlives the Authenticator.
class Authenticated {
 public:
  [[nodiscard]] const std::string& caller() const noexcept { return caller_->id; }
  [[nodiscard]] bool has_scope(std::string_view scope) const noexcept;

 private:
  friend class Authenticator;
  explicit Authenticated(std::shared_ptr<const RegisteredCaller> caller) noexcept
      : caller_(std::move(caller)) {}

  std::shared_ptr<const RegisteredCaller> caller_;
};

// Why not, for counters and the audit line. The peer is told kUnauthenticatedMessage in each case.
enum class Unauthenticated : std::uint8_t {
  kNoCredential,   // no Authorization field
  kNoBearerToken,  // more than one, or one that is no "Bearer <token>"
  kUnknownToken,   // a token of nobody
};

// "no_credential", "no_bearer_token", "unknown_token".
[[nodiscard]] std::string_view to_string(Unauthenticated reason) noexcept;

inline constexpr std::string_view kUnauthenticatedMessage =
    "a valid bearer token is needed: Authorization: Bearer <token>";

// Immutable: safe for concurrent use. Holds fingerprints, never a token.
class Authenticator {
 public:
  [[nodiscard]] static Authenticator with_registry(const CallerRegistry& registry);
  // PLIMSOLL_TOKEN: one caller, kSharedCaller, with the scope code:run. `token` passed is_token().
  [[nodiscard]] static Authenticator with_shared_token(std::string_view token);
  // PLIMSOLL_INSECURE=1: every request is kInsecureCaller's, with the scope code:run.
  [[nodiscard]] static Authenticator insecure();

  // `authorization`: the values of all Authorization fields of the request. The token's fingerprint
  // is compared with every registered one, each in constant time, whether or not one matched: the
  // time tells neither which caller matched nor how much of a fingerprint did.
  [[nodiscard]] std::expected<Authenticated, Unauthenticated> authenticate(
      std::span<const std::string_view> authorization) const;

 private:
  using Callers = std::vector<std::shared_ptr<const RegisteredCaller>>;
  explicit Authenticator(Callers callers) : callers_(std::move(callers)) {}

  Callers callers_;
  std::shared_ptr<const RegisteredCaller> anyone_;  // insecure: who everyone is
};

// Proof that an authenticated caller has the scope code:run.
class MayRunCode {
 public:
  [[nodiscard]] const Authenticated& authenticated() const noexcept { return authenticated_; }
  [[nodiscard]] const std::string& caller() const noexcept { return authenticated_.caller(); }

 private:
  friend std::optional<MayRunCode> may_run_code(const Authenticated&);
  explicit MayRunCode(Authenticated authenticated) noexcept
      : authenticated_(std::move(authenticated)) {}

  Authenticated authenticated_;
};

// nullopt: the scope is missing (permission_denied).
[[nodiscard]] std::optional<MayRunCode> may_run_code(const Authenticated& authenticated);

}  // namespace plimsoll
