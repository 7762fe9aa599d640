#include "specgen/route_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::specgen {
namespace {

TEST(RouteTemplate, ParametersFillWholeSegments) {
  const auto route = read_route_template("/v1", "/orders/{id}/items/{item}");
  ASSERT_TRUE(route) << route.error();
  EXPECT_EQ(route->path, "/v1/orders/*/items/*");
  EXPECT_EQ(route->parameters, (std::vector<std::string>{"id", "item"}));
}

TEST(RouteTemplate, WhatNoRouteExpressesIsAReason) {
  for (const std::string path :
       {"orders",  "/",    "/a/",    "//a",  "/a//b",  "/{a}.json", "/x{a}",
        "/{a}{b}", "/{}",  "/{a",    "/a}",  "/{{a}}", "/.",        "/a/../b",
        "/...",    "/a b", "/a%20b", "/a;b", "/*",     "/a*",       "/\xC3\xA9",
        "/a?b",    "/a#b", "/a\\b",  "/`",   "/\"",    "/a\nb"}) {
    const auto route = read_route_template("", path);
    EXPECT_FALSE(route) << path;
  }
  std::string longest;
  for (std::size_t i = 0; i < kMaxRouteSegments; ++i) longest += "/a";
  EXPECT_TRUE(read_route_template("", longest));
  EXPECT_FALSE(read_route_template("", longest + "/a"));
}

}  // namespace
}  // namespace plimsoll::specgen
