#include "options.h"

#include <gtest/gtest.h>

namespace plimsoll::prospector {
namespace {

std::expected<Options, std::string> parse(std::vector<std::string_view> args) {
  return parse_options(args);
}

TEST(ProspectorOptions, InputsAndOutput) {
  const auto options = parse({"-o", "r.html", "a.jsonl", "-", "b.jsonl.gz", "--title", "T"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->inputs, (std::vector<std::string>{"a.jsonl", "-", "b.jsonl.gz"}));
  EXPECT_EQ(options->output, "r.html");
  EXPECT_EQ(options->title, "T");
  EXPECT_EQ(parse({"-o", "-"})->inputs, std::vector<std::string>{"-"});
}

TEST(ProspectorOptions, MistakesAreNamed) {
  EXPECT_EQ(parse({"a.jsonl"}).error(), "-o FILE is needed");
  EXPECT_FALSE(parse({"-o", "r.html", "-title", ""}));
  EXPECT_FALSE(parse({"-o", "r.html", "-titel", "x"}));
  EXPECT_FALSE(parse({"-o", "r.html", "-o", "s.html"}));
  EXPECT_EQ(parse({"--help"})->command, Command::kHelp);
  EXPECT_EQ(parse({"--version"})->command, Command::kVersion);
}

}  // namespace
}  // namespace plimsoll::prospector
