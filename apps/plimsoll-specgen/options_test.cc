#include "options.h"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll::specgen_app {
namespace {

using Args = std::vector<std::string_view>;

TEST(SpecgenOptions, AreTakenInEitherSpelling) {
  const auto options =
      parse_options(Args{"-emit", "allow", "--global=api", "-include", "a", "-include", "b",
                         "-exclude=c", "-max-description", "2048", "-strict", "-"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->command, Command::kGenerate);
  EXPECT_EQ(options->artifact, specgen::Artifact::kAllow);
  EXPECT_EQ(options->input, "-");
  EXPECT_EQ(options->generate.emit.global, "api");
  EXPECT_EQ(options->generate.emit.max_description, 2048U);
  EXPECT_EQ(options->generate.include, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->generate.exclude, (std::vector<std::string>{"c"}));
  EXPECT_EQ(options->warnings, Warnings::kErrors);
  EXPECT_EQ(parse_options(Args{"-outdir", "d", "f"})->outdir, "d");
  EXPECT_EQ(parse_options(Args{"--help"})->command, Command::kHelp);
  EXPECT_EQ(parse_options(Args{"-version"})->command, Command::kVersion);
}

TEST(SpecgenOptions, MistakesAreNamed) {
  for (const auto& [args, words] : std::vector<std::pair<Args, std::string>>{
           {{}, "one of -emit"},
           {{"f"}, "one of -emit"},
           {{"-emit", "allow", "-outdir", "d", "f"}, "one of -emit"},
           {{"-emit", "all", "f"}, "-emit takes"},
           {{"-emit", "allow"}, "one document"},
           {{"-emit", "allow", "f", "g"}, "one document"},
           {{"-emit", "allow", "-global", "then", "f"}, "-global"},
           {{"-emit", "allow", "-global", "$send", "f"}, "-global"},
           {{"-emit", "allow", "-global", "a-b", "f"}, "-global"},
           {{"-emit", "allow", "-max-description", "1023", "f"}, "-max-description"},
           {{"-emit", "allow", "-max-description", "2k", "f"}, "-max-description"},
           {{"-emit", "allow", "-loud", "f"}, "loud"}}) {
    const auto options = parse_options(args);
    ASSERT_FALSE(options) << words;
    EXPECT_NE(options.error().find(words), std::string::npos) << options.error();
  }
}

}  // namespace
}  // namespace plimsoll::specgen_app
