#include "broker/retry_after.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""s;
using std::literals::chrono_literals::operator""ms;
using std::chrono::milliseconds;
using std::chrono::system_clock;

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr system_clock::time_point kNow{784111777s};

TEST(RetryAfter, TheThreeFormsOfADateAreOneTime) {
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text, kNow), std::chrono::sys_seconds(784111777s)) << text;
  }
}

TEST(RetryAfter, WhatIsNoDate) {
  for (const std::string_view text : {"",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 31 Feb 1994 08:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 24:00:00 GMT",
                                      "Sun, 06 Nov 1994 08:60:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 06 Nov 19940 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sun, 06-Nov-94 08:49:37 GMT",
                                      "Sun Nov 6 08:49:37 1994",
                                      "Sun Nov  6 08:49:37 94",
                                      "Sun, -6 Nov 1994 08:49:37 GMT",
                                      "1994-11-06T08:49:37Z",
                                      "Sun, 06 Nov 1994 08:49:37 GMT\n"}) {
    EXPECT_EQ(parse_http_date(text, kNow), std::nullopt) << text;
  }
}

TEST(RetryAfter, ATwoDigitYearIsAtMostFiftyYearsAhead) {
  const auto year_of = [](std::string_view text, system_clock::time_point now) {
    const auto date = parse_http_date(text, now);
    return date ? static_cast<int>(
                      std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(*date))
                          .year())
                : 0;
  };
  EXPECT_EQ(year_of("Sunday, 06-Nov-44 08:49:37 GMT", kNow), 2044);
  EXPECT_EQ(year_of("Sunday, 06-Nov-45 08:49:37 GMT", kNow), 1945);
  EXPECT_EQ(year_of("Sunday, 06-Nov-00 08:49:37 GMT", kNow), 2000);
  const system_clock::time_point later{1'790'000'000s};  // 2026
  EXPECT_EQ(year_of("Sunday, 06-Nov-26 08:49:37 GMT", later), 2026);
  EXPECT_EQ(year_of("Sunday, 06-Nov-76 08:49:37 GMT", later), 2076);
  EXPECT_EQ(year_of("Sunday, 06-Nov-77 08:49:37 GMT", later), 1977);
}

TEST(RetryAfter, Pauses) {
  const std::pair<std::string_view, milliseconds> cases[] = {
      {"1", 1s},
      {"7", 7s},
      {"30", 30s},
      {"007", 7s},
      {"0", 1s},
      {"000", 1s},
      {"31", 30s},
      {"120", 30s},
      {"99999999999999999999999999", 30s},
      {"-5", 1s},
      {"+5", 1s},
      {"1.5", 1s},
      {"120junk", 1s},
      {"12 0", 1s},
      {" 12", 1s},
      {"0x10", 1s},
      {"1e1", 1s},
      {"", 1s},
      {"soon", 1s},
      {"Sun, 06 Nov 1994 08:49:47 GMT", 10s},
      {"Sunday, 06-Nov-94 08:49:57 GMT", 20s},
      {"Sun Nov  6 08:49:42 1994", 5s},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 1s},
      {"Sun, 06 Nov 1994 08:49:38 GMT", 1s},
      {"Sun, 06 Nov 1994 08:00:00 GMT", 1s},
      {"Sun, 06 Nov 1994 23:00:00 GMT", 30s},
      {"Fri, 31 Dec 9999 23:59:59 GMT", 30s},
      {"Sat, 01 Jan 0000 00:00:00 GMT", 1s},
  };
  for (const auto& [text, pause] : cases) EXPECT_EQ(pause_of(text, kNow), pause) << text;
  EXPECT_EQ(pause_of(std::nullopt, kNow), 1s);
  EXPECT_EQ(pause_of("Sun, 06 Nov 1994 08:49:47 GMT", kNow + 500ms), 9500ms);
}

}  // namespace
}  // namespace plimsoll
