// `plimsoll grants`: what a profiles file permits, before a daemon is given it.
#pragma once

#include <span>
#include <string_view>

namespace plimsoll::cli {

inline constexpr std::string_view kGrantsHelp =
    R"(Usage: plimsoll grants check FILE

Reads a profiles file (PLIMSOLL_GRANTS_FILE of the daemon) as the daemon does, and prints
what each profile permits, in words; or every mistake, by profile and field. Reads the
preamble files, and no secret: neither variables nor key files.

  --help     this text

Exit codes: 0 the file is valid, 2 usage, 74 the answer could not be written,
78 the file has mistakes.
)";

// `args`: what stands after "grants". Returns the exit code.
[[nodiscard]] int grants_command(std::span<const std::string_view> args);

}  // namespace plimsoll::cli
