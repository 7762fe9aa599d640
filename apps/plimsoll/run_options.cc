#include "run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.h"
#include "docker_config.h"
#include "exit_codes.h"
#include "values.h"

namespace plimsoll::cli {
namespace {

constexpr std::array kFlags = {
    FlagSpec{"e", Takes::kValue},
    FlagSpec{"provider", Takes::kValue},
    FlagSpec{"min-isolation", Takes::kValue},
    FlagSpec{"timeout", Takes::kValue},
    FlagSpec{"max-output", Takes::kValue},
    FlagSpec{"memory-mb", Takes::kValue},
    FlagSpec{"json"},
    FlagSpec{"help"},
    kRemoteFlags[0],
    kRemoteFlags[1],
    kRemoteFlags[2],
    kRemoteFlags[3],
    kRemoteFlags[4],
    kGrantProfileFlag,
};

// What the operator of a service decides, not its callers.
constexpr std::array<std::string_view, 3> kLocalFlags = {"provider", "max-output", "memory-mb"};

// The most that the library keeps. A command's output goes to its reader, not into a memory budget.
constexpr std::size_t kDefaultMaxOutputBytes = std::size_t{64} << 20;

// Options as they come in, and what was wrong with them.
class Collector {
 public:
  explicit Collector(const Environment& environment) {
    // One run: one worker, and nothing to keep it for.
    const auto once = [](auto& config) {
      config.pool = 1;
      config.max_concurrent = 1;
      config.reuse = WorkerReuse::kNever;
      config.output_cap_bytes = kDefaultMaxOutputBytes;
    };
    once(options_.config.wasm);
    once(options_.config.microvm);
    options_.config.docker = docker_config(environment);
    options_.config.docker.output_cap_bytes = kDefaultMaxOutputBytes;
  }

  void take(const Flag& flag) {
    const auto [name, value] = flag;
    if (std::ranges::find(kLocalFlags, name) != kLocalFlags.end()) local_.push_back(name);
    if (remote_.take(flag)) return;
    if (name == "e") {
      code_ = value;
    } else if (name == "provider") {
      set(name, options_.config.provider, parse_provider(value));
    } else if (name == "min-isolation") {
      set(name, options_.request.minimum_isolation, parse_tier(value));
    } else if (name == "timeout") {
      set(name, options_.request.timeout, parse_duration(value));
    } else if (name == "max-output") {
      set(name, options_.config.wasm.output_cap_bytes, parse_count(value));
      options_.config.microvm.output_cap_bytes = options_.config.wasm.output_cap_bytes;
      options_.config.docker.output_cap_bytes = options_.config.wasm.output_cap_bytes;
    } else if (name == "memory-mb") {
      set(name, options_.config.wasm.memory_mb, parse_count(value));
      options_.config.microvm.memory_mb = options_.config.wasm.memory_mb;
      options_.config.docker.memory_mb = options_.config.wasm.memory_mb;
    } else if (name == "json") {
      options_.format = RunFormat::kJson;
    } else {
      options_.help = true;
    }
  }

  void take_source(const std::vector<std::string_view>& operands) {
    if (operands.size() + (code_ ? 1U : 0U) != 1) {
      mistakes_.emplace_back("one source is needed: -e CODE, FILE or - for standard input");
    } else if (code_) {
      options_.request.code = *code_;
    } else if (operands[0].empty()) {
      mistakes_.emplace_back("the file name is empty");
    } else {
      options_.source_path = operands[0];
    }
  }

  void take_service(const Environment& environment) {
    options_.remote = remote_.finish(environment, mistakes_);
    if (!options_.remote) return;
    for (const std::string_view name : local_) {
      mistakes_.push_back(fmt::format("--{} is not for --remote: its operator decides", name));
    }
  }

  [[nodiscard]] bool help() const { return options_.help; }

  [[nodiscard]] std::expected<RunOptions, RunOptionsError> finish() && {
    if (mistakes_.empty()) return std::move(options_);
    return std::unexpected(RunOptionsError{
        .exit_code = kExitUsage, .message = fmt::format("{}", fmt::join(mistakes_, "; "))});
  }

 private:
  template <class Field, class Value>
  void set(std::string_view name, Field& field, Parsed<Value> parsed) {
    if (parsed) {
      field = *parsed;
    } else {
      mistakes_.push_back(fmt::format("--{}: {}", name, parsed.error()));
    }
  }

  RunOptions options_;
  std::optional<std::string_view> code_;
  RemoteCollector remote_;
  std::vector<std::string_view> local_;  // the flags of kLocalFlags that were given
  std::vector<std::string> mistakes_;
};

bool names_provider(const Arguments& arguments) {
  for (const Flag& flag : arguments.flags) {
    if (flag.name == "provider") return true;
  }
  return false;
}

}  // namespace

std::expected<RunOptions, RunOptionsError> parse_run_options(std::span<const std::string_view> args,
                                                             const Environment& environment) {
  const auto arguments = parse_arguments(kFlags, args);
  if (!arguments) {
    return std::unexpected(RunOptionsError{.exit_code = kExitUsage, .message = arguments.error()});
  }
  Collector collector(environment);
  for (const Flag& flag : arguments->flags) collector.take(flag);
  if (!collector.help()) {
    collector.take_source(arguments->operands);
    collector.take_service(environment);
  }
  auto options = std::move(collector).finish();
  if (!options || options->remote || names_provider(*arguments)) return options;

  // The command itself asks for execution, so that its default is not "disabled".
  options->config.provider = ProviderKind::kWasm;
  if (environment.sandbox_provider.empty()) return options;
  const auto provider = parse_provider(environment.sandbox_provider);
  if (!provider) {
    return std::unexpected(
        RunOptionsError{.exit_code = kExitInvalidConfig,
                        .message = fmt::format("SANDBOX_PROVIDER: {}", provider.error())});
  }
  options->config.provider = *provider;
  return options;
}

}  // namespace plimsoll::cli
