#include <fmt/format.h>

#include <string_view>

#include "advisor/router.h"
#include "plimsoll/advisor.h"

namespace plimsoll::advisor {
namespace {

constexpr std::string_view kPrompt =
    R"(You own an HTTP API. A program that may call only a few listed routes of it had to
ask for items one by one.

Measured in one run:
- route: {method} {route} ("*" is one path segment; its values were not recorded)
- successful calls: {at_least}{calls}
- time in round trips beyond one call, added up: {latency} ms
- bytes of bodies: {bytes}

{collection}

Please say which is the smallest change that lets a client get the items it needs
in one call, or in a few. In this order of preference:
1. A route that exists already and does this: name it, and its parameters.
2. A parameter on a route that exists, such as a bounded list of ids.
3. A new read-only route, with a page size that is bounded, that checks for each item
   what the route above checks.
Existing routes keep what they do. Nothing is to be returned that the caller could
not get by the calls above.

If the calls are cheap for the API, or if such a route would cost more than it saves,
answer plainly: none is warranted, and why.
)";

}  // namespace

std::string prompt(const AdviceFinding& finding) {
  if (finding.remedy != AdviceRemedy::kAskApiOwner) return {};
  const std::string_view route = finding.route;
  const auto collection = collection_of(route.substr(0, route.find('?')));
  const std::string known =
      collection
          ? fmt::format("Neither granted nor known to the client's operator: GET {}.", *collection)
          : "No route is known to the client's operator that returns these items together.";
  return fmt::format(kPrompt, fmt::arg("method", finding.method), fmt::arg("route", route),
                     fmt::arg("at_least", finding.at_least ? "at least " : ""),
                     fmt::arg("calls", std::int64_t{finding.extra_calls} + 1),
                     fmt::arg("latency", finding.added_latency_ms),
                     fmt::arg("bytes", finding.bytes_moved), fmt::arg("collection", known));
}

}  // namespace plimsoll::advisor
