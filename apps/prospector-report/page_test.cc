#include "page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::prospector {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kTurn = {'\xE2', '\x80', '\xAE'};  // U+202E

AuditEntry entry_of(std::string caller) {
  AuditEntry entry{.day = std::chrono::sys_days(std::chrono::year(2026) / 11 / 29),
                   .caller = std::move(caller),
                   .profile = "shop",
                   .host_calls = 30,
                   .has_advice = true,
                   .findings = 3,
                   .extra_calls = 1236,
                   .detailed = true};
  const AdviceFinding base{.method = "GET", .route = "/v1/items/*", .extra_calls = 12};
  entry.advice = {base, base, base};
  entry.advice[0].remedy = AdviceRemedy::kUseGrantedRoute;
  entry.advice[0].suggested_method = "GET";
  entry.advice[0].suggested_route = "/v1/items?page&size";
  entry.advice[1].remedy = AdviceRemedy::kGrantRoute;
  entry.advice[1].grant_route = "GET /v1/items?limit";
  entry.advice[2].remedy = AdviceRemedy::kAskApiOwner;
  entry.advice[2].extra_calls = 1212;
  return entry;
}

std::string page_of(const AuditEntry& entry) {
  Tally tally;
  tally.add(entry);
  return render(tally, "Efficiency report");
}

TEST(Page, HoldsTheThreeClassesAndWhatToDo) {
  const std::string page = page_of(entry_of("ann"));
  EXPECT_THAT(page, HasSubstr("GET /v1/items?page&amp;size</code>"));
  EXPECT_THAT(page, HasSubstr("&quot;GET /v1/items?limit&quot;</code>"));
  EXPECT_THAT(page, HasSubstr("- successful calls: 1213\n"));
  EXPECT_THAT(page, HasSubstr("1 run with a grant, 3 findings cost 1,236 calls"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, IsTheSameForTheSameTally) {
  EXPECT_EQ(page_of(entry_of("ann")), page_of(entry_of("ann")));
}

TEST(Page, LoadsNothing) {
  const std::string page = page_of(entry_of("ann"));
  for (const char* const loads : {"http://", "https://", "src=", "href=\"/", "url(", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(loads)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
}

TEST(Page, HostileTextIsText) {
  AuditEntry entry = entry_of("<script>alert(1)</script>\"'&" + kTurn + "{{title}}{{{script}}}");
  Tally tally;
  tally.add(entry);
  tally.add_bad(BadLine::kNotJson, "<img src=x onerror=alert(1)>\n.jsonl", 7);
  const std::string page = render(tally, "<h1>\x1b");
  EXPECT_THAT(page,
              HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&apos;&amp;[U+202E]{{title}}"));
  EXPECT_THAT(page, HasSubstr("line 7 of &lt;img src=x onerror=alert(1)&gt;[U+000A].jsonl"));
  EXPECT_THAT(page, HasSubstr("<title>&lt;h1&gt;[U+001B]</title>"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr(kTurn)));
}

TEST(Page, UnreadableLinesAreShown) {
  Tally tally;
  EXPECT_THAT(render(tally, "t"), Not(HasSubstr("id=\"unreadable\"")));
  for (std::uint64_t i = 1; i <= 1200; ++i) tally.add_bad(BadLine::kBadField, "a.jsonl", i);
  tally.add_broken_input("b.gz");
  const std::string page = render(tally, "t");
  EXPECT_THAT(page, HasSubstr("1,200 lines were unreadable. 1 input ended too early."));
  EXPECT_THAT(page, HasSubstr("b.gz could not be read to its end"));
}

TEST(Page, ATallyOfNothingIsAPage) {
  const std::string page = render(Tally(), "t");
  EXPECT_THAT(page, HasSubstr("No run was read."));
  EXPECT_THAT(page, HasSubstr("None was found."));
  EXPECT_THAT(page, HasSubstr("</html>"));
}

TEST(Page, LongTablesEndWithASentence) {
  Tally tally;
  for (std::size_t i = 0; i < kMaxRowsShown + 7; ++i) {
    AuditEntry entry = entry_of("c" + std::to_string(i));
    for (AdviceFinding& one : entry.advice) one.route = "/r" + std::to_string(i) + "/*";
    tally.add(entry);
  }
  const std::string page = render(tally, "t");
  EXPECT_THAT(page, HasSubstr("And 7 more, each with fewer extra calls."));
  EXPECT_THAT(page, HasSubstr("And 7 more.</p>"));
}

}  // namespace
}  // namespace plimsoll::prospector
