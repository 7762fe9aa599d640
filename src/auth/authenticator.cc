#include "auth/authenticator.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace plimsoll {
namespace {

std::shared_ptr<const RegisteredCaller> fixed_caller(std::string_view id, std::string_view token) {
  return std::make_shared<const RegisteredCaller>(
      RegisteredCaller{.id = std::string(id),
                       .token = TokenFingerprint::of(token),
                       .scopes = {std::string(kScopeCodeRun)}});
}

}  // namespace

bool Authenticated::has_scope(std::string_view scope) const noexcept {
  return std::ranges::find(caller_->scopes, scope) != caller_->scopes.end();
}

std::string_view to_string(Unauthenticated reason) noexcept {
  switch (reason) {
    case Unauthenticated::kNoCredential:
      return "no_credential";
    case Unauthenticated::kNoBearerToken:
      return "no_bearer_token";
    case Unauthenticated::kUnknownToken:
      return "unknown_token";
  }
  return "unknown_token";
}

Authenticator Authenticator::with_registry(const CallerRegistry& registry) {
  Callers callers;
  for (const RegisteredCaller& caller : registry.callers()) {
    callers.push_back(std::make_shared<const RegisteredCaller>(caller));
  }
  return Authenticator(std::move(callers));
}

Authenticator Authenticator::with_shared_token(std::string_view token) {
  assert(is_token(token));
  return Authenticator({fixed_caller(kSharedCaller, token)});
}

Authenticator Authenticator::insecure() {
  Authenticator authenticator({});
  authenticator.anyone_ = fixed_caller(kInsecureCaller, "");
  return authenticator;
}

std::expected<Authenticated, Unauthenticated> Authenticator::authenticate(
    std::span<const std::string_view> authorization) const {
  if (anyone_) return Authenticated(anyone_);
  if (authorization.empty()) return std::unexpected(Unauthenticated::kNoCredential);
  const auto token = authorization.size() == 1 ? bearer_token(authorization.front()) : std::nullopt;
  if (!token) return std::unexpected(Unauthenticated::kNoBearerToken);

  const TokenFingerprint fingerprint = TokenFingerprint::of(*token);
  std::size_t found = callers_.size();
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    // Arithmetic, not a branch; and no early end.
    const auto hit = static_cast<std::size_t>(callers_[i]->token.matches(fingerprint));
    found = hit * i + (1 - hit) * found;
  }
  if (found == callers_.size()) return std::unexpected(Unauthenticated::kUnknownToken);
  return Authenticated(callers_[found]);
}

std::optional<MayRunCode> may_run_code(const Authenticated& authenticated) {
  if (!authenticated.has_scope(kScopeCodeRun)) return std::nullopt;
  return MayRunCode(authenticated);
}

}  // namespace plimsoll
