// The generator's rules of a route and the broker's: what one writes, the other takes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "broker/route.h"
#include "broker/target.h"
#include "plimsoll/grant.h"
#include "specgen/route_bounds.h"
#include "specgen/route_template.h"

namespace plimsoll::specgen {
namespace {

static_assert(kMaxRouteSegments == kMaxSegments);
static_assert(kMaxRouteQueryNames == kMaxQueryParameters);
static_assert(kMaxRouteQueryNameBytes == kMaxQueryNameBytes);

TEST(RouteRules, OfEveryByteAreTheBrokers) {
  for (int byte = 1; byte < 128; ++byte) {
    const auto c = static_cast<char>(byte);
    if (c == '/' || c == '*' || c == '?') continue;  // structure
    const std::string path = std::string("/a") + c;
    EXPECT_EQ(read_route_template("", path).has_value(),
              plimsoll::Route::parse("GET " + path).has_value())
        << byte;
    if (c == '&') continue;
    const std::string name = std::string("q") + c;
    EXPECT_EQ(is_query_name(name), plimsoll::Route::parse("GET /a?" + name).has_value()) << byte;
  }
}

TEST(RouteRules, ALineThatOperationsShareKeepsWithinTheBrokersBounds) {
  std::vector<Operation> operations;
  for (int i = 0; i < 4; ++i) {
    Operation one{.method = "GET", .path = "/a/{" + std::to_string(i) + "}", .route = "/a/*"};
    for (int name = 0; name < 20; ++name) {
      one.query.push_back({.name = std::string(60, 'n') + std::to_string(i * 100 + name),
                           .required = i == 3 && name == 0});
    }
    operations.push_back(one);
  }
  operations.push_back({.method = "PUT", .route = "/" + std::string(kMaxRouteBytes, 'p')});
  Diagnostics diagnostics;
  const auto lost = bound_routes(operations, diagnostics);
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_TRUE(lost[0].query.empty());
  EXPECT_EQ(lost[1].method, "PUT");
  Api api;
  api.operations = operations;
  const auto routes = routes_of(api, Which::kAll);
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_GT(routes[0].query.size(), 20U);
  const auto route = plimsoll::Route::parse(routes[0].text());
  EXPECT_TRUE(route) << route.error();
  EXPECT_GT(diagnostics.warnings(), 0U);
}

}  // namespace
}  // namespace plimsoll::specgen
