#include "advisor/advisor_fixture.h"
#include "plimsoll/advisor.h"

namespace plimsoll::advisor {
namespace {

AdviceFinding unknown() {
  return advise(times(13, row_of("GET", "/v1/items/*?full")), grant_of({"GET /v1/items/*?full"}))
      .at(0);
}

TEST(Prompt, AsksForTheSmallestChangeOrAPlainNo) {
  const std::string text = prompt(unknown());
  for (const char* const part :
       {"- route: GET /v1/items/*?full (", "- successful calls: 13\n", "120 ms", "1300",
        "GET /v1/items.", "smallest change", "none is warranted"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find('{'), std::string::npos);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F));
}

TEST(Prompt, SaysAtLeast) {
  AdviceFinding finding = unknown();
  finding.at_least = true;
  EXPECT_NE(prompt(finding).find("- successful calls: at least 13\n"), std::string::npos);
}

TEST(Prompt, IsForUnknownRoutesOnly) {
  AdviceFinding finding = unknown();
  for (const AdviceRemedy remedy : {AdviceRemedy::kUseGrantedRoute, AdviceRemedy::kReuseAnswer,
                                    AdviceRemedy::kGrantRoute, AdviceRemedy::kNone}) {
    finding.remedy = remedy;
    EXPECT_EQ(prompt(finding), "");
  }
}

TEST(Prompt, ARouteWithoutACollectionIsAskedForWithoutOne) {
  AdviceFinding finding = unknown();
  finding.route = "/*";
  EXPECT_NE(prompt(finding).find("No route is known"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::advisor
