// How a run's end is shown: the guest's bytes as they are, or one line of JSON; and the exit code.
#pragma once

#include <string_view>

#include "plimsoll/outcome.h"
#include "plimsoll/result.h"
#include "run_options.h"

namespace plimsoll::cli {

// All of `bytes` to a standard stream. kExitDone, or the exit code that a failed write ends with,
// after saying so.
int write_stream(int fd, std::string_view bytes);

// The exit code of the command. `json` is what is printed with RunFormat::kJson.
int show_outcome(const Outcome& outcome, RunFormat format, std::string_view json);
int show_error(const Error& error, RunFormat format);

}  // namespace plimsoll::cli
