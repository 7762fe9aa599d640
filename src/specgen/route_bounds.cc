#include "specgen/route_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "plimsoll/grant.h"
#include "specgen/route_template.h"

namespace plimsoll::specgen {
namespace {

// One line of the allow list, as it grows.
struct Line {
  std::size_t bytes = 0;
  std::set<std::string> names{};

  bool take(const std::string& name) {
    if (names.contains(name)) return true;
    if (names.size() == kMaxRouteQueryNames || bytes + 1 + name.size() > kMaxRouteBytes) {
      return false;
    }
    names.insert(name);
    bytes += 1 + name.size();
    return true;
  }
};

// False: what is left is not callable.
bool bound(Operation& operation, Line& line, Diagnostics& diagnostics) {
  bool reachable = line.bytes <= kMaxRouteBytes;
  std::erase_if(operation.query, [&](const Parameter& one) {
    if (line.take(one.name)) return false;
    reachable = reachable && !one.required;
    diagnostics.warn(operation.mark,
                     fmt::format("the query parameter {} is left out: the route would be longer "
                                 "than a grant takes",
                                 quoted(one.name)));
    return true;
  });
  return reachable;
}

}  // namespace

std::vector<Operation> bound_routes(std::vector<Operation>& operations, Diagnostics& diagnostics) {
  std::map<std::string, Line> lines;
  std::vector<Operation> kept;
  std::vector<Operation> lost;
  kept.reserve(operations.size());
  for (Operation& operation : operations) {
    const std::string route = operation.method + " " + operation.route;
    Line& line = lines.try_emplace(route, Line{.bytes = route.size()}).first->second;
    std::vector<Operation>& where = bound(operation, line, diagnostics) ? kept : lost;
    where.push_back(std::move(operation));
  }
  operations = std::move(kept);
  return lost;
}

}  // namespace plimsoll::specgen
