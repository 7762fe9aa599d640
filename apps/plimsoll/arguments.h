// Splits a command line by the GNU conventions, with the one exception that a long flag is accepted
// with one dash too. Written by hand, because the whole process is short enough for a general
// parser's set-up to be seen in its duration.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::cli {

enum class Takes { kNothing, kValue };
enum class Times { kOnce, kMany };

// One flag. `name` has no dashes; one letter: "-e", longer: "--timeout" or "-timeout".
struct FlagSpec {
  std::string_view name;
  Takes takes = Takes::kNothing;
  Times times = Times::kOnce;
};

// One flag as it was given; `value` is empty for a flag that takes nothing.
struct Flag {
  std::string_view name;
  std::string_view value;
};

// In the order of the command line. Views into the strings that were parsed.
struct Arguments {
  std::vector<Flag> flags;
  std::vector<std::string_view> operands;
};

// Accepts "--name value", "--name=value", "-name value", "-name=value", "-e value"; flags and
// operands in any order; "--" ends the flags; "-" is an operand. The argument after a flag that
// takes a value is its value, whatever it looks like. A flag given twice is an error, unless its
// spec says kMany. Errors are
// for people, without a full stop.
[[nodiscard]] std::expected<Arguments, std::string> parse_arguments(
    std::span<const FlagSpec> specs, std::span<const std::string_view> args);

}  // namespace plimsoll::cli
