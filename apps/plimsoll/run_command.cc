#include "run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "exit_codes.h"
#include "output.h"
#include "plimsoll/sandbox.h"
#include "run_options.h"
#include "run_report.h"
#include "source.h"

namespace plimsoll::cli {
namespace {

// 0, or the exit code that a failed write ends with.
int write_stream(int fd, std::string_view bytes) {
  const auto written = write_all(fd, bytes);
  if (written) return kExitDone;
  if (written.error() == EPIPE) return kExitReaderLeft;
  say(fmt::format("the output could not be written: {}", describe_errno(written.error())));
  return kExitOutput;
}

// Both streams are tried, whatever becomes of the first. The first failure decides.
int write_bytes(const Outcome& outcome) {
  const int out = write_stream(STDOUT_FILENO, outcome.stdout_bytes);
  const int err = write_stream(STDERR_FILENO, outcome.stderr_bytes);
  if (outcome.stdout_truncated) {
    say(fmt::format("stdout was cut at {} bytes", outcome.stdout_bytes.size()));
  }
  if (outcome.stderr_truncated) {
    say(fmt::format("stderr was cut at {} bytes", outcome.stderr_bytes.size()));
  }
  // An uncaught error has told its story on stderr; what the host did is told here.
  if (outcome.termination.cause != TerminationCause::kExited) {
    std::string text = fmt::format("the run ended early: {}", to_string(outcome.termination.cause));
    if (!outcome.termination.detail.empty()) text += " (" + outcome.termination.detail + ")";
    say(text);
  }
  return out != kExitDone ? out : err;
}

int finish(const Outcome& outcome, RunFormat format) {
  const int written = format == RunFormat::kJson ? write_stream(STDOUT_FILENO, to_json(outcome))
                                                 : write_bytes(outcome);
  return written != kExitDone ? written : outcome.exit_code;
}

int refuse(const Error& error, RunFormat format) {
  if (format == RunFormat::kJson) {
    if (const int written = write_stream(STDOUT_FILENO, to_json(error)); written != kExitDone) {
      return written;
    }
  }
  say(fmt::format("{}: {}{}", to_string(error.code), error.message,
                  error.not_dispatched ? "; nothing ran" : ""));
  return exit_code_of(error.code);
}

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
  if (!options->source_path.empty()) {
    auto source = read_source(options->source_path);
    if (!source) {
      say(source.error().message);
      return source.error().exit_code;
    }
    options->request.code = *std::move(source);
  }
  const auto outcome = execute(options->config, options->request);
  return outcome ? finish(*outcome, options->format) : refuse(outcome.error(), options->format);
}

}  // namespace plimsoll::cli
