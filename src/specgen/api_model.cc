#include "specgen/api_model.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace plimsoll::specgen {

std::string_view to_string(SkipReason reason) noexcept {
  switch (reason) {
    case SkipReason::kMethod:
      return "method";
    case SkipReason::kPath:
      return "path";
    case SkipReason::kHeader:
      return "header";
    case SkipReason::kQuery:
      return "query";
    case SkipReason::kBody:
      return "body";
    case SkipReason::kOrigin:
      return "origin";
  }
  return "";
}

std::string Route::text() const {
  std::string text = method + " " + path;
  char separator = '?';
  for (const std::string& name : query) {
    text += separator;
    text += name;
    separator = '&';
  }
  return text;
}

std::size_t Api::skipped_in_all() const {
  return std::accumulate(skipped.begin(), skipped.end(), std::size_t{0});
}

std::vector<Route> routes_of(const Api& api, Which which) {
  std::vector<Route> routes;
  std::unordered_map<std::string, std::size_t> places;
  for (const Operation& operation : api.operations) {
    if (which == Which::kSelected && !operation.selected) continue;
    const auto [place, is_new] =
        places.try_emplace(operation.method + " " + operation.route, routes.size());
    if (is_new) routes.push_back({.method = operation.method, .path = operation.route});
    std::vector<std::string>& names = routes[place->second].query;
    for (const Parameter& parameter : operation.query) {
      if (std::ranges::find(names, parameter.name) == names.end()) names.push_back(parameter.name);
    }
  }
  return routes;
}

}  // namespace plimsoll::specgen
