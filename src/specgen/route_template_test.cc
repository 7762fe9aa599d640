#include "specgen/route_template.h"

#include <gtest/gtest.h>

#include "broker/route.h"
#include "broker/target.h"

namespace plimsoll::specgen {
namespace {

// Ours and the broker's: what one writes, the other takes.
static_assert(kMaxRouteSegments == kMaxSegments);
static_assert(kMaxRouteQueryNames == kMaxQueryParameters);
static_assert(kMaxRouteQueryNameBytes == kMaxQueryNameBytes);

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

TEST(RouteTemplate, EveryBytesVerdictIsTheBrokers) {
  for (int byte = 1; byte < 128; ++byte) {
    const std::string path = std::string("/a") + static_cast<char>(byte);
    const auto route = read_route_template("", path);
    if (byte == '/' || byte == '*') continue;  // structure
    EXPECT_EQ(route.has_value(), plimsoll::Route::parse("GET " + path).has_value() && byte != '?')
        << byte;
    const std::string name = std::string("q") + static_cast<char>(byte);
    if (byte == '&') continue;
    EXPECT_EQ(is_query_name(name), plimsoll::Route::parse("GET /a?" + name).has_value()) << byte;
  }
}

}  // namespace
}  // namespace plimsoll::specgen
