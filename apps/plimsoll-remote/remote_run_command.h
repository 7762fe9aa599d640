// `plimsoll run --remote`: a run on a service, shown as a local one is.
#pragma once

#include <span>
#include <string_view>

#include "../plimsoll/environment.h"

namespace plimsoll::cli {

// The exit code.
int remote_run_command(std::span<const std::string_view> args, const Environment& environment);

}  // namespace plimsoll::cli
