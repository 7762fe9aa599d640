#include "broker/allow_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "plimsoll/grant.h"

namespace plimsoll {
namespace {

// Where a wildcard stands, from the left; a literal comes first.
std::vector<bool> wildcards(const Route& route) {
  std::vector<bool> are;
  for (const std::string& segment : route.segments()) are.push_back(segment == "*");
  return are;
}

// A total order, so that a list is the same whatever the order of its lines.
bool before(const Route& one, const Route& other) {
  return std::tuple(wildcards(one), one.path(), one.method()) <
         std::tuple(wildcards(other), other.path(), other.method());
}

}  // namespace

AllowList AllowList::parse(std::string_view field, const std::vector<std::string>& lines,
                           std::vector<std::string>& mistakes) {
  AllowList list;
  if (lines.size() > kMaxRoutes) {
    mistakes.push_back(fmt::format("{} has more than {} routes", field, kMaxRoutes));
    return list;
  }
  std::map<std::pair<std::string, std::string>, std::size_t> first;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto route = Route::parse(lines[i]);
    if (!route) {
      mistakes.push_back(fmt::format("{}[{}] {}", field, i, route.error()));
      continue;
    }
    const auto [at, is_new] = first.try_emplace({std::string(route->method()), route->path()}, i);
    if (!is_new) {
      mistakes.push_back(fmt::format(
          "{}[{}] has the method and path of {}[{}]; all query parameters belong on one line",
          field, i, field, at->second));
      continue;
    }
    list.routes_.push_back(std::move(*route));
  }
  std::ranges::sort(list.routes_, before);
  return list;
}

const Route* AllowList::match(std::string_view method, std::string_view raw) const {
  const std::optional<Target> target = parse_target(raw);
  if (!target) return nullptr;
  const auto found = std::ranges::find_if(
      routes_, [&](const Route& route) { return route.permits(method, *target); });
  return found == routes_.end() ? nullptr : &*found;
}

}  // namespace plimsoll
