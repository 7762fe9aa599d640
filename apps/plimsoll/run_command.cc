#include "run_command.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "hand_over.h"
#include "output.h"
#include "plimsoll/sandbox.h"
#include "run_options.h"
#include "run_output.h"
#include "run_report.h"
#include "source.h"

namespace plimsoll::cli {
namespace {

Result<Outcome> execute(const SandboxConfig& config, const RunRequest& request) {
  auto sandbox = Sandbox::build(config);
  if (!sandbox) return std::unexpected(std::move(sandbox).error());
  if (auto ready = sandbox->ensure_ready(); !ready) {
    Error error = std::move(ready).error();
    // Nothing was handed over yet, whatever the preflight met.
    if (!error.not_dispatched) error.not_dispatched = NotDispatchedReason::kEnvironment;
    return std::unexpected(std::move(error));
  }
  return sandbox->run_javascript(request);
}

}  // namespace

int run_command(std::span<const std::string_view> args, const Environment& environment) {
  auto options = parse_run_options(args, environment);
  if (!options) {
    say(options.error().message + "; see plimsoll run --help");
    return options.error().exit_code;
  }
  if (options->help) return write_stream(STDOUT_FILENO, kRunHelp);
  if (options->remote) return hand_over("run", args);
  if (!options->source_path.empty()) {
    auto source = read_source(options->source_path);
    if (!source) {
      say(source.error().message);
      return source.error().exit_code;
    }
    options->request.code = *std::move(source);
  }
  const auto outcome = execute(options->config, options->request);
  if (!outcome) return show_error(outcome.error(), options->format);
  const std::string json = options->format == RunFormat::kJson ? to_json(*outcome) : std::string();
  return show_outcome(*outcome, options->format, json);
}

}  // namespace plimsoll::cli
