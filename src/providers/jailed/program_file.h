// The program file of a jailed process: the copy inside this library, or an installed one.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "plimsoll/result.h"
#include "providers/jailed/worker_program.h"

namespace plimsoll::jailed {

// A descriptor of the file, ready to be executed. `path` empty: the embedded copy, in a sealed
// memfd, so that nobody can change it between here and its execution. Errors: kNotReady, with what
// to do.
[[nodiscard]] Result<UniqueFd> open_program(const WorkerProgram& program, const std::string& path);

}  // namespace plimsoll::jailed
