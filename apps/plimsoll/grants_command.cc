#include "grants_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "arguments.h"
#include "exit_codes.h"
#include "grants/grant_profiles.h"
#include "grants/profile_words.h"
#include "output.h"

namespace plimsoll::cli {
namespace {

constexpr std::array kFlags = {FlagSpec{"help"}};

int print(std::string_view text) {
  return write_all(STDOUT_FILENO, text) ? kExitDone : kExitOutput;
}

int check(const std::string& path) {
  const auto [profiles, mistakes] = examine_profiles_file(path);
  for (const std::string& mistake : mistakes) say(fmt::format("{}: {}", path, mistake));
  if (!mistakes.empty()) return kExitInvalidConfig;
  std::string text;
  for (const GrantProfile& profile : profiles) {
    if (!text.empty()) text += '\n';
    text += in_words(profile);
  }
  return print(text.empty() ? std::string_view("the file has no profile\n") : text);
}

}  // namespace

int grants_command(std::span<const std::string_view> args) {
  const auto arguments = parse_arguments(kFlags, args);
  if (arguments && !arguments->flags.empty()) return print(kGrantsHelp);
  if (!arguments || arguments->operands.size() != 2 || arguments->operands[0] != "check") {
    say((arguments ? "'check FILE' is needed" : arguments.error()) +
        "; see plimsoll grants --help");
    return kExitUsage;
  }
  return check(std::string(arguments->operands[1]));
}

}  // namespace plimsoll::cli
