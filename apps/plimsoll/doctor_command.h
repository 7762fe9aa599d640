// `plimsoll doctor`: what this host offers for each isolation tier, and why something is missing.
#pragma once

#include <span>
#include <string_view>

#include "environment.h"

namespace plimsoll::cli {

inline constexpr std::string_view kDoctorHelp =
    R"(Usage: plimsoll doctor [--json]

Looks at this host, tier by tier: what is there, what is missing, why, and what to
do about it. What seems to be there is started and attacked for real. Of containers,
SANDBOX_DOCKER_HOST and _IMAGE name the engine and the image. Nothing is changed.

  --json     one JSON object on stdout
  --help     this text

Exit codes: 0 this build can run snippets here, 1 it cannot, 2 usage,
74 the answer could not be written.
)";

// `args`: what stands after "doctor". Returns the exit code.
[[nodiscard]] int doctor_command(std::span<const std::string_view> args,
                                 const Environment& environment);

}  // namespace plimsoll::cli
