// `plimsoll run`: one snippet, its bytes on the real streams, its exit code as our own.
#pragma once

#include <span>
#include <string_view>

#include "environment.h"

namespace plimsoll::cli {

// `args`: what stands after "run". Returns the exit code.
[[nodiscard]] int run_command(std::span<const std::string_view> args,
                              const Environment& environment);

}  // namespace plimsoll::cli
