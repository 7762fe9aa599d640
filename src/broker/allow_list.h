// The routes that a grant permits. What stands on no line of it is refused: nothing is sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/route.h"

namespace plimsoll {

// A value; safe for concurrent reading.
class AllowList {
 public:
  // Reads every line; the mistakes start with "allow[3]". Without mistakes the list holds them all.
  // `field` is the name in the messages. Two lines of one method and path are a mistake: their
  // query parameters belong on one line.
  [[nodiscard]] static AllowList parse(std::string_view field,
                                       const std::vector<std::string>& lines,
                                       std::vector<std::string>& mistakes);

  // The line that permits the call; null: it is refused. `raw` is the target as the guest wrote it,
  // which is what may be sent then, unchanged. Of several lines the one that says most of the path
  // literally, from the left.
  [[nodiscard]] const Route* match(std::string_view method, std::string_view raw) const;

  [[nodiscard]] const std::vector<Route>& routes() const noexcept { return routes_; }

 private:
  std::vector<Route> routes_;  // literal segments before wildcards
};

}  // namespace plimsoll
