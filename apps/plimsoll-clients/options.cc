#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "../plimsoll/arguments.h"

namespace plimsoll::clients {
namespace {

using cli::FlagSpec;
using cli::Takes;
using cli::Times;

constexpr FlagSpec kFile{"file", Takes::kValue};
constexpr FlagSpec kId{"id", Takes::kValue};
constexpr FlagSpec kScope{"scope", Takes::kValue, Times::kMany};
constexpr FlagSpec kStdout{"token-stdout"};
constexpr FlagSpec kStdin{"token-stdin"};
constexpr FlagSpec kJson{"json"};
constexpr FlagSpec kHelpFlag{"help"};

constexpr std::array kCreate = {kFile, kId, kScope, kStdout, kHelpFlag};
constexpr std::array kImport = {kFile, kId, kScope, kStdin, kHelpFlag};
constexpr std::array kList = {kFile, kJson, kHelpFlag};
constexpr std::array kRotate = {kFile, kId, kStdout, kStdin, kHelpFlag};
constexpr std::array kRevoke = {kFile, kId, kHelpFlag};

struct CommandSpec {
  std::string_view name;
  Command command;
  std::span<const FlagSpec> flags;
};
constexpr std::array kCommands = {CommandSpec{"create", Command::kCreate, kCreate},
                                  CommandSpec{"import", Command::kImport, kImport},
                                  CommandSpec{"list", Command::kList, kList},
                                  CommandSpec{"rotate", Command::kRotate, kRotate},
                                  CommandSpec{"revoke", Command::kRevoke, kRevoke}};

// What is missing or does not go together; empty: nothing.
std::string objection(const CommandSpec& spec, const Options& options, int token_flags,
                      const cli::Arguments& arguments) {
  if (!arguments.operands.empty()) {
    return fmt::format("{} takes no operand; a token is never an argument", spec.name);
  }
  if (options.file.empty()) return fmt::format("{} needs -file FILE", spec.name);
  if (options.id.empty() && options.command != Command::kList) {
    return fmt::format("{} needs -id ID", spec.name);
  }
  if (options.command == Command::kCreate && token_flags != 1) {
    return "create prints the new token on standard output, and needs -token-stdout to do so";
  }
  if (options.command == Command::kRotate && token_flags != 1) {
    return "rotate needs one of -token-stdout and -token-stdin";
  }
  return {};
}

std::expected<Options, std::string> parse_command(const CommandSpec& spec,
                                                  std::span<const std::string_view> args) {
  const auto arguments = cli::parse_arguments(spec.flags, args);
  if (!arguments) return std::unexpected(arguments.error());
  Options options{.command = spec.command};
  int token_flags = 0;
  for (const cli::Flag& flag : arguments->flags) {
    if (flag.name == kHelpFlag.name) return Options{};
    if (flag.name == kFile.name) options.file = flag.value;
    if (flag.name == kId.name) options.id = flag.value;
    if (flag.name == kScope.name) options.scopes.emplace_back(flag.value);
    if (flag.name == kJson.name) options.list = ListAs::kJson;
    if (flag.name == kStdin.name) options.token = TokenFrom::kStdin;
    if (flag.name == kStdin.name || flag.name == kStdout.name) ++token_flags;
  }
  if (spec.command == Command::kImport) options.token = TokenFrom::kStdin;
  auto mistake = objection(spec, options, token_flags, *arguments);
  if (!mistake.empty()) return std::unexpected(std::move(mistake));
  return options;
}

}  // namespace

std::expected<Options, std::string> parse_options(std::span<const std::string_view> args) {
  if (args.empty()) return std::unexpected("a command is needed");
  const std::string_view name = args.front();
  if (name == "--help" || name == "-help" || name == "-h") return Options{};
  if (name == "--version" || name == "-version") return Options{.command = Command::kVersion};
  const auto spec = std::ranges::find(kCommands, name, &CommandSpec::name);
  if (spec == kCommands.end()) {
    return std::unexpected("unknown command; create, import, list, rotate, revoke are accepted");
  }
  return parse_command(*spec, args.subspan(1));
}

}  // namespace plimsoll::clients
