#include "arguments.h"

#include <gtest/gtest.h>

#include <array>

namespace plimsoll::cli {
namespace {

constexpr std::array kSpecs = {FlagSpec{"e", Takes::kValue}, FlagSpec{"timeout", Takes::kValue},
                               FlagSpec{"json"}, FlagSpec{"scope", Takes::kValue, Times::kMany}};

using Args = std::vector<std::string_view>;

// "name=value" of each flag, then "| operand" of each operand; or the error.
std::string parsed(const Args& args) {
  const auto arguments = parse_arguments(kSpecs, args);
  if (!arguments) return arguments.error();
  std::string text;
  for (const Flag& flag : arguments->flags) {
    text += std::string(flag.name) + "=" + std::string(flag.value) + " ";
  }
  for (const auto operand : arguments->operands) text += "| " + std::string(operand);
  return text;
}

TEST(Arguments, EverySpellingOfAFlag) {
  const std::array kSame = {Args{"--timeout", "1s"}, Args{"--timeout=1s"}, Args{"-timeout", "1s"},
                            Args{"-timeout=1s"}};
  for (const Args& args : kSame) EXPECT_EQ(parsed(args), "timeout=1s ") << args[0];
  EXPECT_EQ(parsed({"-e", "code"}), "e=code ");
  EXPECT_EQ(parsed({"-json"}), "json= ");
}

TEST(Arguments, AValueIsTakenAsItStands) {
  EXPECT_EQ(parsed({"-e", "--json"}), "e=--json ");
  EXPECT_EQ(parsed({"-e", "-timeout=1"}), "e=-timeout=1 ");
  EXPECT_EQ(parsed({"-e", ""}), "e= ");
  EXPECT_EQ(parsed({"-e", "--"}), "e=-- ");
  EXPECT_EQ(parsed({"--timeout=a=b"}), "timeout=a=b ");
}

TEST(Arguments, AFlagThatMayBeRepeated) {
  EXPECT_EQ(parsed({"-scope", "a", "--scope=b"}), "scope=a scope=b ");
}

TEST(Arguments, OperandsAnywhere) {
  EXPECT_EQ(parsed({"f.js", "--json"}), "json= | f.js");
  EXPECT_EQ(parsed({"-"}), "| -");
  EXPECT_EQ(parsed({"--json", "--", "--timeout"}), "json= | --timeout");
  EXPECT_EQ(parsed({""}), "| ");
}

TEST(Arguments, Mistakes) {
  EXPECT_EQ(parsed({"--nope"}), "unknown flag --nope");
  EXPECT_EQ(parsed({"--e", "x"}), "unknown flag --e");
  EXPECT_EQ(parsed({"-ecode"}), "unknown flag -ecode");
  EXPECT_EQ(parsed({"---json"}), "unknown flag ---json");
  EXPECT_EQ(parsed({"--=x"}), "unknown flag --=x");
  EXPECT_EQ(parsed({"--time", "1s"}), "unknown flag --time");
  EXPECT_EQ(parsed({"--timeout"}), "--timeout needs a value");
  EXPECT_EQ(parsed({"--json=1"}), "--json=1 takes no value");
  EXPECT_EQ(parsed({"--json", "-json"}), "-json is given twice");
}

}  // namespace
}  // namespace plimsoll::cli
