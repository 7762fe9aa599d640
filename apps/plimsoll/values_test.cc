#include "values.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace plimsoll::cli {
namespace {

TEST(Values, Durations) {
  const std::array<std::pair<std::string_view, int>, 6> kAccepted = {{{"1ms", 1},
                                                                      {"500ms", 500},
                                                                      {"10s", 10'000},
                                                                      {"1m", 60'000},
                                                                      {"007s", 7'000},
                                                                      {"1440m", 86'400'000}}};
  for (const auto& [text, ms] : kAccepted) {
    const auto duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(duration->count(), ms) << text;
  }
}

TEST(Values, DurationsNeedAUnit) {
  for (const std::string_view text :
       {"", "10", "0ms", "0s", "-1s", "+1s", "1.5s", "1 s", "s", "ms", "1h", "1S", "10sec", "1s ",
        " 1s", "1441m", "99999999999999999999s", "0x1s", "1µs"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_NE(duration.error().find("500ms, 10s, 1m"), std::string::npos) << text;
  }
}

TEST(Values, Counts) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("67108864"), 67'108'864U);
  EXPECT_EQ(parse_count("4294967295"), 4'294'967'295U);
  for (const std::string_view text : {"", "-1", "+1", "1k", "0x10", " 1", "1 ", "4294967296"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(Values, TiersAndProviders) {
  EXPECT_EQ(parse_tier("vm"), Isolation::kVm);
  EXPECT_FALSE(parse_tier("unknown"));
  EXPECT_EQ(parse_provider("wasm"), ProviderKind::kWasm);
  EXPECT_EQ(parse_provider("docker"), ProviderKind::kDocker);
  EXPECT_EQ(parse_provider("microvm"), ProviderKind::kMicrovm);
  EXPECT_EQ(parse_provider("e2b").error(),
            "'e2b' is no provider of this build; wasm, docker and microvm are accepted");
}

}  // namespace
}  // namespace plimsoll::cli
