#include "options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>

#include "../plimsoll/arguments.h"
#include "broker/js_name.h"

namespace plimsoll::specgen_app {
namespace {

using cli::FlagSpec;
using cli::Takes;
using cli::Times;

constexpr std::size_t kMaxDescriptionBytes = std::size_t{1} << 20;

constexpr std::array kFlags = {
    FlagSpec{"emit", Takes::kValue},
    FlagSpec{"outdir", Takes::kValue},
    FlagSpec{"global", Takes::kValue},
    FlagSpec{"include", Takes::kValue, Times::kMany},
    FlagSpec{"exclude", Takes::kValue, Times::kMany},
    FlagSpec{"max-description", Takes::kValue},
    FlagSpec{"strict"},
    FlagSpec{"help"},
    FlagSpec{"h"},
    FlagSpec{"version"},
};

using Mistake = std::unexpected<std::string>;

// Empty: it is taken.
std::string take(const cli::Flag& flag, Options& options) {
  specgen::EmitOptions& emit = options.generate.emit;
  if (flag.name == "emit") {
    options.artifact = specgen::artifact_of(flag.value);
    if (!options.artifact) {
      return "-emit takes grants, allow, preamble, description, catalog, health or types";
    }
  } else if (flag.name == "outdir") {
    options.outdir = flag.value;
    if (flag.value.empty()) return "-outdir takes a folder";
  } else if (flag.name == "global") {
    emit.global = flag.value;
    // '$' begins the names of the client's own functions.
    const bool good = is_client_name(flag.value) && flag.value.front() != '$';
    if (!good) return "-global takes an ASCII identifier that JavaScript has no other use for";
  } else if (flag.name == "include") {
    options.generate.include.emplace_back(flag.value);
  } else if (flag.name == "exclude") {
    options.generate.exclude.emplace_back(flag.value);
  } else if (flag.name == "max-description") {
    const char* end = std::to_address(flag.value.end());
    const auto [at, error] =
        std::from_chars(std::to_address(flag.value.begin()), end, emit.max_description);
    if (error != std::errc{} || at != end || emit.max_description < specgen::kMinDescriptionBytes ||
        emit.max_description > kMaxDescriptionBytes) {
      return fmt::format("-max-description takes {} to {} bytes", specgen::kMinDescriptionBytes,
                         kMaxDescriptionBytes);
    }
  } else if (flag.name == "strict") {
    options.warnings = Warnings::kErrors;
  }
  return {};
}

}  // namespace

std::expected<Options, std::string> parse_options(std::span<const std::string_view> args) {
  const auto arguments = cli::parse_arguments(kFlags, args);
  if (!arguments) return Mistake(arguments.error());
  Options options{.command = Command::kGenerate};
  for (const cli::Flag& flag : arguments->flags) {
    if (flag.name == "help" || flag.name == "h") return Options{};
    if (flag.name == "version") return Options{.command = Command::kVersion};
    if (std::string mistake = take(flag, options); !mistake.empty()) {
      return Mistake(std::move(mistake));
    }
  }
  if (options.artifact.has_value() == !options.outdir.empty()) {
    return Mistake("one of -emit ARTIFACT and -outdir DIR is needed");
  }
  if (arguments->operands.size() != 1) {
    return Mistake("one document is needed: a file, or - for standard input");
  }
  options.input = arguments->operands.front();
  return options;
}

}  // namespace plimsoll::specgen_app
