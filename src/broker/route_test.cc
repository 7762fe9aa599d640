#include "broker/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/allow_list.h"

namespace plimsoll {
namespace {

using std::literals::string_view_literals::operator""sv;

TEST(Route, ReadsWhatItIsMadeOf) {
  const auto route = Route::parse("PATCH /v1/orders/*/lines?status&filter[a]");
  ASSERT_TRUE(route) << route.error();
  EXPECT_EQ(route->method(), "PATCH");
  EXPECT_EQ(route->route_template(), "/v1/orders/*/lines?status&filter[a]");
  EXPECT_EQ(route->path(), "/v1/orders/*/lines");
  EXPECT_THAT(route->segments(), testing::ElementsAre("v1", "orders", "*", "lines"));
  EXPECT_THAT(route->query_names(), testing::ElementsAre("status", "filter[a]"));
  EXPECT_TRUE(route->has_wildcard());
}

TEST(Route, WhatHasNoOneMeaningIsNoRoute) {
  for (const std::string_view text : {""sv,
                                      "GET"sv,
                                      "GET "sv,
                                      "/a"sv,
                                      " /a"sv,
                                      "get /a"sv,
                                      "HEAD /a"sv,
                                      "OPTIONS /a"sv,
                                      "* /a"sv,
                                      "GET  /a"sv,
                                      "GET a"sv,
                                      "GET /"sv,
                                      "GET //"sv,
                                      "GET /a/"sv,
                                      "GET /a//b"sv,
                                      "GET /a/./b"sv,
                                      "GET /.."sv,
                                      "GET /..."sv,
                                      "GET /a\\b"sv,
                                      "GET /a#b"sv,
                                      "GET /a%20"sv,
                                      "GET /a;b"sv,
                                      "GET /a b"sv,
                                      "GET /\xC3\xA9"sv,
                                      "GET /a\n"sv,
                                      "GET /a\0"sv,
                                      "GET /a*"sv,
                                      "GET /**"sv,
                                      "GET /*a/b"sv,
                                      "GET /a?"sv,
                                      "GET /a?x&"sv,
                                      "GET /a?x&x"sv,
                                      "GET /a?x=1"sv,
                                      "GET /a?*"sv,
                                      "GET /a?x?y"sv,
                                      "GET /a?%78"sv,
                                      "GET /a?x y"sv,
                                      "GET /a?x;y"sv,
                                      "GET /a?\xC3\xA9"sv,
                                      "GET https://a.test/b"sv,
                                      "GET /a\tb"sv}) {
    EXPECT_FALSE(Route::parse(text)) << text;
  }
  EXPECT_FALSE(Route::parse("GET /" + std::string(2044, 'a')));
  EXPECT_TRUE(Route::parse("GET /" + std::string(2043, 'a')));
  EXPECT_FALSE(Route::parse("GET /a?" + std::string(kMaxQueryNameBytes + 1, 'n')));
}

AllowList list_of(const std::vector<std::string>& lines) {
  std::vector<std::string> mistakes;
  AllowList list = AllowList::parse("allow", lines, mistakes);
  EXPECT_THAT(mistakes, testing::IsEmpty());
  return list;
}

std::string matched(const AllowList& list, std::string_view method, std::string_view raw) {
  const Route* route = list.match(method, raw);
  return route == nullptr ? "refused" : route->route_template();
}

TEST(AllowList, APermittedCallIsPermittedToTheByte) {
  const AllowList list = list_of(
      {"GET /v1/orders", "GET /v1/orders/*", "POST /v1/orders", "GET /v1/orders/*/lines/*"});
  EXPECT_EQ(matched(list, "GET", "/v1/orders"), "/v1/orders");
  EXPECT_EQ(matched(list, "POST", "/v1/orders"), "/v1/orders");
  EXPECT_EQ(matched(list, "GET", "/v1/orders/17"), "/v1/orders/*");
  EXPECT_EQ(matched(list, "GET", "/v1/orders/*"), "/v1/orders/*");
  EXPECT_EQ(matched(list, "GET", "/v1/orders/a/lines/b"), "/v1/orders/*/lines/*");
  for (const auto& [method, raw] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"get", "/v1/orders"},
           {"GET ", "/v1/orders"},
           {"", "/v1/orders"},
           {"PUT", "/v1/orders"},
           {"GET\r\n", "/v1/orders"},
           {"HEAD", "/v1/orders"},
           {"GET", "/V1/orders"},
           {"GET", "/v1/Orders"},
           {"GET", "/v1/orders/"},
           {"GET", "/v1/orders/17/"},
           {"GET", "/v1/orders/17/lines"},
           {"GET", "/v1/orders/a/b"},
           {"GET", "/v1//orders"},
           {"GET", "/v1/orders/.."},
           {"GET", "/v1/orders/../../admin"},
           {"GET", "/v1/orders/%2e%2e"},
           {"GET", "/v1/orders/%2e%2e%2fadmin"},
           {"GET", "/v1/orders/a?x=1"},
           {"GET", "/v1/orders/a#b"},
           {"GET", "/v1/orders/a;b"},
           {"GET", "/v1"},
           {"GET", "/"},
           {"GET", ""},
           {"POST", "/v1/orders/17"},
           {"GET", "/v1/orders "},
           {"GET", "*"}}) {
    EXPECT_EQ(matched(list, method, raw), "refused") << method << ' ' << raw;
  }
}

TEST(AllowList, QueryParametersAreThoseThatAreNamedAndOnceEach) {
  const AllowList list = list_of({"GET /v1/orders?status&limit&f[s]", "GET /v1/plain"});
  for (const std::string_view raw :
       {"/v1/orders", "/v1/orders?status=open", "/v1/orders?limit=1&status=open",
        "/v1/orders?status=a%20b", "/v1/orders?f%5Bs%5D=1"}) {
    EXPECT_EQ(matched(list, "GET", raw), "/v1/orders?status&limit&f[s]") << raw;
  }
  for (const std::string_view raw :
       {"/v1/orders?", "/v1/orders?status", "/v1/orders?status=", "/v1/orders?other=1",
        "/v1/orders?status=a&status=b", "/v1/orders?status=a&limit=1&status=a",
        "/v1/orders?Status=a", "/v1/orders?status=a&", "/v1/orders?status=a+b",
        "/v1/orders?status=%6Fpen", "/v1/orders?status=a%2fb", "/v1/plain?status=a",
        "/v1/orders?f[s]=1", "/v1/orders?status=a#b"}) {
    EXPECT_EQ(matched(list, "GET", raw), "refused") << raw;
  }
}

TEST(AllowList, TheMoreLiteralLineIsTheOneInTheTrace) {
  const AllowList list =
      list_of({"GET /v1/*/*", "GET /v1/*/me", "GET /v1/users/*", "GET /v1/users/me", "GET /*/a/b"});
  EXPECT_EQ(matched(list, "GET", "/v1/users/me"), "/v1/users/me");
  EXPECT_EQ(matched(list, "GET", "/v1/users/you"), "/v1/users/*");
  EXPECT_EQ(matched(list, "GET", "/v1/teams/me"), "/v1/*/me");
  EXPECT_EQ(matched(list, "GET", "/v1/a/b"), "/v1/*/*");
  EXPECT_EQ(matched(list, "GET", "/v2/a/b"), "/*/a/b");
}

TEST(AllowList, AnEmptyOneReachesNothing) {
  const AllowList list = list_of({});
  EXPECT_EQ(matched(list, "GET", "/"), "refused");
  EXPECT_EQ(matched(AllowList(), "GET", "/a"), "refused");
}

TEST(AllowList, EveryMistakeIsNamedByItsLine) {
  std::vector<std::string> mistakes;
  const AllowList list =
      AllowList::parse("allow", {"GET /a", "nonsense", "GET /a?x", "GET /b/", "POST /a"}, mistakes);
  ASSERT_EQ(mistakes.size(), 3U);
  EXPECT_THAT(mistakes[0], testing::StartsWith("allow[1] is no route"));
  EXPECT_THAT(mistakes[1], testing::StartsWith("allow[2] has the method and path of allow[0]"));
  EXPECT_THAT(mistakes[2], testing::StartsWith("allow[3] has an empty segment"));
  mistakes.clear();
  (void)AllowList::parse("catalog", std::vector<std::string>(1025, "GET /a"), mistakes);
  EXPECT_THAT(mistakes, testing::ElementsAre("catalog has more than 1024 routes"));
}

}  // namespace
}  // namespace plimsoll
