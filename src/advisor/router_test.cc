#include "advisor/router.h"

#include "advisor/advisor_fixture.h"

namespace plimsoll::advisor {
namespace {

TEST(Router, TheCollectionIsTheTemplateWithoutItsLastWildcard) {
  EXPECT_EQ(collection_of("/v1/orders/*"), "/v1/orders");
  EXPECT_EQ(collection_of("/v1/orders/*/lines"), "/v1/orders/lines");
  EXPECT_EQ(collection_of("/shops/*/orders/*"), "/shops/*/orders");
  EXPECT_EQ(collection_of("/shops/*/orders/*/lines"), "/shops/*/orders/lines");
  EXPECT_EQ(collection_of("/*"), std::nullopt);
  EXPECT_EQ(collection_of("/*/a"), "/a");
  EXPECT_EQ(collection_of("/v1/orders"), std::nullopt);
  EXPECT_EQ(collection_of(""), std::nullopt);
}

Way way_of(const char* route, AdvicePattern pattern, const std::vector<Route>& allow,
           const std::vector<Route>& catalog) {
  const auto parsed = Route::parse(route);
  return way_out({.route = &*parsed, .pattern = pattern, .calls = 9}, allow, catalog);
}

TEST(Router, AGrantedCollectionBeatsTheCatalog) {
  const auto allow = routes_of({"GET /items/*", "GET /items?limit"});
  const auto catalog = routes_of({"GET /items"});
  const Way way = way_of("GET /items/*", AdvicePattern::kFanOut, allow, catalog);
  EXPECT_EQ(way.remedy, AdviceRemedy::kUseGrantedRoute);
  EXPECT_EQ(way.route->route_template(), "/items?limit");
}

TEST(Router, TheCatalogNamesWhatIsNotGranted) {
  const auto allow = routes_of({"GET /items/*?full", "POST /items"});
  const auto catalog = routes_of({"DELETE /items", "GET /items?limit"});
  const Way way = way_of("GET /items/*?full", AdvicePattern::kFanOut, allow, catalog);
  EXPECT_EQ(way.remedy, AdviceRemedy::kGrantRoute);
  EXPECT_EQ(way.route, &catalog[1]);
}

TEST(Router, WithoutAKnownCollectionTheOwnerIsAsked) {
  const auto other = routes_of({"GET /items/*", "POST /items", "GET /items/*/lines"});
  const Way way = way_of("GET /items/*", AdvicePattern::kFanOut, other, other);
  EXPECT_EQ(way.remedy, AdviceRemedy::kAskApiOwner);
  EXPECT_EQ(way.route, nullptr);
  EXPECT_EQ(way_of("GET /*", AdvicePattern::kFanOut, other, other).remedy,
            AdviceRemedy::kAskApiOwner);
}

TEST(Router, AWriteIsNeverSentElsewhere) {
  const auto all =
      routes_of({"GET /items", "POST /items", "PUT /items", "DELETE /items", "PATCH /items"});
  for (const char* const line :
       {"POST /items/*", "PUT /items/*", "DELETE /items/*", "PATCH /items/*"}) {
    const Way way = way_of(line, AdvicePattern::kFanOut, all, all);
    EXPECT_EQ(way.remedy, AdviceRemedy::kNone) << line;
    EXPECT_EQ(way.route, nullptr) << line;
  }
}

TEST(Router, ARepeatedReadKeepsItsAnswer) {
  const auto all = routes_of({"GET /items"});
  EXPECT_EQ(way_of("GET /items", AdvicePattern::kRepeatedRead, all, all).remedy,
            AdviceRemedy::kReuseAnswer);
}

}  // namespace
}  // namespace plimsoll::advisor
