// Where a fan-out of reads could go instead. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/detectors.h"
#include "broker/route.h"
#include "plimsoll/advice.h"

namespace plimsoll::advisor {

// The path without its last wildcard segment: "/v1/orders" of "/v1/orders/*", "/v1/orders/lines" of
// "/v1/orders/*/lines". nullopt: it has none, or nothing is left.
[[nodiscard]] std::optional<std::string> collection_of(std::string_view path);

// What to do, and the route that does it.
struct Way {
  AdviceRemedy remedy = AdviceRemedy::kNone;
  const Route* route = nullptr;  // of kUseGrantedRoute and kGrantRoute; points into its list
};

// GET fan-outs only are sent elsewhere: a write that another write replaces is not the same.
[[nodiscard]] Way way_out(const Waste& waste, const std::vector<Route>& allow,
                          const std::vector<Route>& catalog);

}  // namespace plimsoll::advisor
