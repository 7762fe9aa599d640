#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "broker/frozen_grant.h"
#include "broker/js_name.h"
#include "plimsoll/grant.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxScopeTokenBytes = 128;

// RFC 6749's scope-token. "code:run" permits running code here, and no API is to be given that.
bool is_grant_scope(std::string_view scope) noexcept {
  const auto fine = [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  return !scope.empty() && scope.size() <= kMaxScopeTokenBytes && scope != "*" &&
         scope != "code:run" && std::ranges::all_of(scope, fine);
}

void check_scopes(const std::vector<std::string>& scopes, std::vector<std::string>& mistakes) {
  if (scopes.size() > kMaxGrantScopes) {
    mistakes.push_back(fmt::format("scopes has more than {} entries", kMaxGrantScopes));
    return;
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (!is_grant_scope(scopes[i])) {
      mistakes.push_back(
          fmt::format("scopes[{}] is no scope; 1 to {} visible ASCII characters without blanks, "
                      "quotes and backslashes are accepted, and neither 'code:run' nor '*'",
                      i, kMaxScopeTokenBytes));
    } else if (std::find(scopes.begin(), scopes.begin() + static_cast<std::ptrdiff_t>(i),
                         scopes[i]) != scopes.begin() + static_cast<std::ptrdiff_t>(i)) {
      mistakes.push_back(fmt::format("scopes[{}] repeats a scope", i));
    }
  }
}

std::optional<Route> read_health_check(const std::string& text,
                                       std::vector<std::string>& mistakes) {
  if (text.empty()) return std::nullopt;
  auto route = Route::parse(text);
  if (!route) {
    mistakes.push_back("health_check " + route.error());
    return std::nullopt;
  }
  if (route->method() != "GET" || route->has_wildcard() || !route->query_names().empty()) {
    mistakes.emplace_back(
        "health_check is no concrete GET route; 'GET /path' without '*' and '?' is accepted");
    return std::nullopt;
  }
  return std::move(*route);
}

}  // namespace

std::unique_ptr<FrozenGrant> read_grant(GrantConfig config, std::vector<std::string>& mistakes) {
  const std::size_t before = mistakes.size();
  auto origin = Origin::parse(config.base_url);
  if (!origin) mistakes.push_back("base_url " + origin.error());
  AllowList allow = AllowList::parse("allow", config.allow, mistakes);
  AllowList catalog = AllowList::parse("catalog", config.catalog, mistakes);
  check_scopes(config.scopes, mistakes);
  if (!is_client_name(config.global)) {
    mistakes.push_back(
        fmt::format("global is no name for a client; an ASCII identifier of 1 to {} characters is "
                    "accepted that is no word of JavaScript and no built-in",
                    kMaxGlobalBytes));
  }
  if (config.preamble.size() > kMaxPreambleBytes) {
    mistakes.push_back(fmt::format("preamble has more than {} bytes", kMaxPreambleBytes));
  } else if (!is_valid_utf8(config.preamble)) {
    mistakes.emplace_back("preamble is not UTF-8");
  }
  auto health_check = read_health_check(config.health_check, mistakes);
  if (config.max_calls < 1 || config.max_calls > kMaxMaxCalls) {
    mistakes.push_back(
        fmt::format("max_calls is {}; 1 to {} is accepted", config.max_calls, kMaxMaxCalls));
  }
  if (mistakes.size() != before) return nullptr;
  auto frozen = std::make_unique<FrozenGrant>();
  frozen->config = std::move(config);
  frozen->origin = std::move(*origin);
  frozen->allow = std::move(allow);
  frozen->catalog = std::move(catalog);
  frozen->health_check = std::move(health_check);
  return frozen;
}

std::vector<std::string> check_grant(const GrantConfig& config) {
  std::vector<std::string> mistakes;
  (void)read_grant(config, mistakes);
  return mistakes;
}

const GrantConfig& Grant::config() const noexcept { return frozen_->config; }

}  // namespace plimsoll
