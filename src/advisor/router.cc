#include "advisor/router.h"

#include <algorithm>

namespace plimsoll::advisor {
namespace {

const Route* find_get(const std::vector<Route>& routes, std::string_view path) {
  const auto at = std::ranges::find_if(
      routes, [&](const Route& route) { return route.method() == "GET" && route.path() == path; });
  return at == routes.end() ? nullptr : &*at;
}

}  // namespace

std::optional<std::string> collection_of(std::string_view path) {
  // '*' fills a whole segment, so that a slash stands before it and none but a slash behind it.
  const auto at = path.rfind("/*");
  if (at == std::string_view::npos) return std::nullopt;
  std::string left(path.substr(0, at));
  left += path.substr(at + 2);
  if (left.empty()) return std::nullopt;
  return left;
}

Way way_out(const Waste& waste, const std::vector<Route>& allow,
            const std::vector<Route>& catalog) {
  if (waste.pattern == AdvicePattern::kRepeatedRead) return {AdviceRemedy::kReuseAnswer};
  if (waste.route->method() != "GET") return {AdviceRemedy::kNone};
  if (const auto collection = collection_of(waste.route->path())) {
    if (const Route* granted = find_get(allow, *collection)) {
      return {AdviceRemedy::kUseGrantedRoute, granted};
    }
    if (const Route* known = find_get(catalog, *collection)) {
      return {AdviceRemedy::kGrantRoute, known};
    }
  }
  return {AdviceRemedy::kAskApiOwner};
}

}  // namespace plimsoll::advisor
