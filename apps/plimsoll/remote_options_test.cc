#include "remote_options.h"

#include <gtest/gtest.h>

namespace plimsoll::cli {
namespace {

struct Taken {
  std::optional<RemoteOptions> options;
  std::vector<std::string> mistakes;
};

Taken take(const std::vector<Flag>& flags, std::string token_file = {}) {
  RemoteCollector collector;
  for (const Flag& flag : flags) EXPECT_TRUE(collector.take(flag)) << flag.name;
  Taken taken;
  taken.options = collector.finish({.client_token_file = std::move(token_file)}, taken.mistakes);
  return taken;
}

TEST(RemoteOptions, EveryFlag) {
  const Taken taken = take({{"remote", "https://h"},
                            {"token-file", "t"},
                            {"ca-file", "c"},
                            {"http", "2"},
                            {"insecure-cleartext", ""}},
                           "other");
  EXPECT_EQ(taken.mistakes, std::vector<std::string>());
  ASSERT_TRUE(taken.options);
  EXPECT_EQ(taken.options->url, "https://h");
  EXPECT_EQ(taken.options->token_file, "t");
  EXPECT_EQ(taken.options->ca_file, "c");
  EXPECT_EQ(taken.options->http, HttpVersion::kHttp2);
  EXPECT_EQ(taken.options->cleartext, Cleartext::kInsecureAnywhere);
}

TEST(RemoteOptions, TheSafeDefaults) {
  const Taken taken = take({{"remote", "https://h"}}, "from-the-environment");
  ASSERT_TRUE(taken.options);
  EXPECT_EQ(taken.options->token_file, "from-the-environment");
  EXPECT_EQ(taken.options->ca_file, "");
  EXPECT_EQ(taken.options->http, HttpVersion::kHttp1);
  EXPECT_EQ(taken.options->cleartext, Cleartext::kLoopbackOnly);
}

TEST(RemoteOptions, AServiceNeedsAToken) {
  EXPECT_EQ(take({{"remote", "https://h"}}).mistakes.size(), 1U);
}

TEST(RemoteOptions, WithoutAServiceItsFlagsAreMistakes) {
  const Taken taken = take({{"token-file", "t"}, {"insecure-cleartext", ""}}, "t");
  EXPECT_FALSE(taken.options);
  EXPECT_EQ(taken.mistakes, (std::vector<std::string>{"--token-file needs --remote",
                                                      "--insecure-cleartext needs --remote"}));
  EXPECT_TRUE(take({}, "t").mistakes.empty());
}

TEST(RemoteOptions, ValuesAreChecked) {
  EXPECT_EQ(take({{"remote", "u"}, {"http", "3"}, {"token-file", ""}, {"ca-file", ""}}, "t")
                .mistakes.size(),
            3U);
}

TEST(RemoteOptions, OtherFlagsAreLeft) {
  RemoteCollector collector;
  EXPECT_FALSE(collector.take({.name = "json", .value = {}}));
}

}  // namespace
}  // namespace plimsoll::cli
