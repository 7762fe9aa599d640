#include "run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "exit_codes.h"
#include "output.h"
#include "run_report.h"

namespace plimsoll::cli {
namespace {

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

}  // namespace

int write_stream(int fd, std::string_view bytes) {
  const auto written = write_all(fd, bytes);
  if (written) return kExitDone;
  if (written.error() == EPIPE) return kExitReaderLeft;
  say(fmt::format("the output could not be written: {}", describe_errno(written.error())));
  return kExitOutput;
}

int show_outcome(const Outcome& outcome, RunFormat format, std::string_view json) {
  const int written =
      format == RunFormat::kJson ? write_stream(STDOUT_FILENO, json) : write_bytes(outcome);
  return written != kExitDone ? written : outcome.exit_code;
}

int show_error(const Error& error, RunFormat format) {
  if (format == RunFormat::kJson) {
    if (const int written = write_stream(STDOUT_FILENO, to_json(error)); written != kExitDone) {
      return written;
    }
  }
  say(fmt::format("{}: {}{}", to_string(error.code), error.message,
                  error.not_dispatched ? "; nothing ran" : ""));
  return exit_code_of(error.code);
}

}  // namespace plimsoll::cli
