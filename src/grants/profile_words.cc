#include "grants/profile_words.h"

#include <fmt/format.h>

#include <vector>

#include "base/json_text.h"
#include "broker/frozen_grant.h"
#include "broker/jwt_key.h"

namespace plimsoll {
namespace {

std::string callers_of(const GrantProfile& profile) {
  if (profile.permits_everybody()) return "EVERY authenticated caller";
  std::vector<std::string> names;
  names.reserve(profile.allowed_callers.size());
  for (const std::string& one : profile.allowed_callers) names.push_back(json_string(one));
  return fmt::format("{} {}", names.size() == 1 ? "the caller" : "the callers",
                     fmt::join(names, ", "));
}

std::string route_in_words(const Route& route) {
  std::string text = fmt::format("    {:<6} {}\n", route.method(), route.path());
  for (const std::string& name : route.query_names()) {
    text += fmt::format("             may have {}=..., once\n", name);
  }
  return text;
}

std::string addresses_of(const FrozenGrant& frozen) {
  switch (frozen.peers()) {
    case PeerRule::kLoopbackOnly:
      return "this host's loopback addresses only";
    case PeerRule::kAnyUsable:
      return "any address, PRIVATE and link-local ones and this host too";
    case PeerRule::kPublicOnly:
      break;
  }
  return "public addresses only";
}

std::string credential_of(const GrantProfile& profile) {
  const TokenSpec& token = profile.token;
  switch (token.type) {
    case TokenType::kNone:
      return "none";
    case TokenType::kStatic:
      return fmt::format("the same bearer for every run, from the variable {}", token.env);
    case TokenType::kJwt:
      break;
  }
  return fmt::format(
      "a JWT for each run: {}, key from {}\n              for the audience {}; it names the caller "
      "and lives at most {} s",
      to_string(token.algorithm),
      token.algorithm == JwtAlgorithm::kHs256 ? "the variable " + token.secret_env
                                              : "the file " + json_string(token.key_file),
      json_string(token.audience), token.ttl.count());
}

}  // namespace

std::string in_words(const GrantProfile& profile) {
  std::vector<std::string> mistakes;
  const auto frozen = read_grant(profile.grant, mistakes);
  if (!frozen) return fmt::format("{}: {}\n", profile.name, fmt::join(mistakes, "; "));
  std::string text = fmt::format("{}: code of {} may call {}\n", profile.name, callers_of(profile),
                                 profile.grant.base_url);
  if (frozen->allow.routes().empty()) text += "    nothing\n";
  bool wildcard = false;
  for (const Route& route : frozen->allow.routes()) {
    text += route_in_words(route);
    wildcard = wildcard || route.has_wildcard();
  }
  if (wildcard) text += "    (each * is one segment of a path, chosen by the code)\n";
  text += fmt::format("  calls       at most {} in a run, {} at once\n", profile.grant.max_calls,
                      kMaxCallsInFlight);
  text += fmt::format("  credential  {}\n", credential_of(profile));
  if (!profile.grant.scopes.empty()) {
    text += fmt::format("  scopes      {}\n", fmt::join(profile.grant.scopes, " "));
  }
  text += fmt::format("  peers       {}\n", addresses_of(*frozen));
  text += fmt::format("  client      {}{}\n", profile.grant.global,
                      profile.grant.preamble.empty() ? "" : ", with a preamble");
  text += frozen->health_check ? fmt::format("  after 503   GET {} is asked once a second\n",
                                             frozen->health_check->path())
                               : std::string("  after 503   the pause is waited out\n");
  return text;
}

}  // namespace plimsoll
