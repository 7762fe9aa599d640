#include "options.h"

#include <array>
#include <utility>

#include "../plimsoll/arguments.h"

namespace plimsoll::prospector {
namespace {

using cli::FlagSpec;
using cli::Takes;

constexpr std::size_t kMaxTitleBytes = 256;

constexpr std::array kFlags = {
    FlagSpec{"o", Takes::kValue}, FlagSpec{"title", Takes::kValue}, FlagSpec{"help"}, FlagSpec{"h"},
    FlagSpec{"version"},
};

}  // namespace

std::expected<Options, std::string> parse_options(std::span<const std::string_view> args) {
  const auto arguments = cli::parse_arguments(kFlags, args);
  if (!arguments) return std::unexpected(arguments.error());
  Options options{.command = Command::kReport};
  for (const cli::Flag& flag : arguments->flags) {
    if (flag.name == "help" || flag.name == "h") return Options{};
    if (flag.name == "version") return Options{.command = Command::kVersion};
    if (flag.name == "o") options.output = flag.value;
    if (flag.name == "title") options.title = flag.value;
  }
  if (options.output.empty()) return std::unexpected("-o FILE is needed");
  if (options.title.empty() || options.title.size() > kMaxTitleBytes) {
    return std::unexpected("-title takes 1 to 256 bytes");
  }
  for (const std::string_view input : arguments->operands) options.inputs.emplace_back(input);
  if (options.inputs.empty()) options.inputs.emplace_back("-");
  return options;
}

}  // namespace plimsoll::prospector
