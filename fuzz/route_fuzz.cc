// A line of an allow list: what is accepted is canonical, and permits the call that it spells.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/percent.h"
#include "broker/route.h"
#include "broker/target.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto route = plimsoll::Route::parse(input);
  if (!route) {
    require(!route.error().empty(), "an error has a message");
    require(std::ranges::all_of(route.error(), [](char c) { return c >= 0x20 && c < 0x7F; }),
            "one line of ASCII");
    return 0;
  }
  require(std::string(route->method()) + " " + route->route_template() == input, "as written");
  std::string target;
  for (const std::string& segment : route->segments()) {
    target += "/" + (segment == "*" ? std::string("x") : segment);
  }
  const std::string path = target;
  char separator = '?';
  for (const std::string& name : route->query_names()) {
    target += separator + plimsoll::percent_encode(name) + "=v";
    separator = '&';
  }
  for (const std::string& one : {path, target}) {
    if (one.size() > plimsoll::kMaxMatchedTargetBytes) continue;
    const auto parsed = plimsoll::parse_target(one);
    require(parsed && route->permits(route->method(), *parsed), "permits what it spells");
    require(!route->permits("HEAD", *parsed), "and no other method");
  }
  return 0;
}
