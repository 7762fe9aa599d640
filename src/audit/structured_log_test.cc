#include "audit/structured_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/manual_clock.h"

namespace plimsoll {
namespace {

const std::string kHostile = "x\n{\"event\":\"forged\"}\x1b[2J\xE2\x80\xA8\xFF\" y=z";

std::string line(LogFormat format, std::string_view value) {
  const ManualClock clock;
  return format_log_line(format, clock.wall_now(), LogLevel::kWarning, "listener failed",
                         {{"port", 8746}, {"reason", value}});
}

TEST(StructuredLog, Json) {
  EXPECT_EQ(line(LogFormat::kJson, "in use"),
            R"({"time":"2023-11-14T22:13:20.000Z","stream":"log","level":"warning",)"
            R"("event":"listener failed","port":8746,"reason":"in use"})"
            "\n");
}

TEST(StructuredLog, Text) {
  EXPECT_EQ(line(LogFormat::kText, "busy"),
            "2023-11-14T22:13:20.000Z warning listener failed port=8746 reason=busy\n");
  EXPECT_EQ(line(LogFormat::kText, "in use"),
            "2023-11-14T22:13:20.000Z warning listener failed port=8746 reason=\"in use\"\n");
}

TEST(StructuredLog, AValueForgesNothing) {
  for (const LogFormat format : {LogFormat::kJson, LogFormat::kText}) {
    const std::string text = line(format, kHostile);
    for (const char c : text.substr(0, text.size() - 1)) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << text;
  }
  EXPECT_EQ(nlohmann::json::parse(line(LogFormat::kJson, kHostile))["event"], "listener failed");
}

TEST(StructuredLog, LongValuesAreCut) {
  const auto json = nlohmann::json::parse(line(LogFormat::kJson, std::string(5000, 'x')));
  EXPECT_EQ(json["reason"], std::string(2048, 'x') + "...");
}

TEST(StructuredLog, HandsWholeLinesToItsSink) {
  const ManualClock clock;
  std::string seen;
  const StructuredLog log(LogFormat::kText, clock, [&](std::string_view text) { seen += text; });
  log.info("one");
  log.error("two", {{"code", 7}});
  EXPECT_EQ(seen,
            "2023-11-14T22:13:20.000Z info    one\n2023-11-14T22:13:20.000Z error   two code=7\n");
}

}  // namespace
}  // namespace plimsoll
