// The commands that speak to a service, or read its grants, are in plimsoll-remote, a program of
// its own beside this one: the libraries that they need would cost every local run 3 ms of dynamic
// linking.
#pragma once

#include <span>
#include <string_view>

namespace plimsoll::cli {

// Becomes `plimsoll-remote COMMAND ARGS...`, with the same environment and streams. Returns only
// when that cannot be, after saying so: the exit code.
int hand_over(std::string_view command, std::span<const std::string_view> args);

}  // namespace plimsoll::cli
