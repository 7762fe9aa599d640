// `plimsoll describe`: what a service offers.
#pragma once

#include <span>
#include <string_view>

#include "../plimsoll/environment.h"

namespace plimsoll::cli {

inline constexpr std::string_view kDescribeHelp =
    R"(Usage: plimsoll describe --remote URL [FLAGS]

Says what a service offers: its sandbox, the boundary and how it is known, limits.

  --remote URL          the service: https://sandbox.example:8443 (or http:// to
                        this host)
  --token-file FILE     its token, which others must not be able to read; else
                        PLIMSOLL_CLIENT_TOKEN_FILE
  --ca-file FILE        the authorities that may vouch for it, in PEM, instead of the
                        system's
  --http 1|2            the HTTP version (default 1)
  --insecure-cleartext  allow http:// to another host: all on the way can read it
  --json                one JSON object on stdout instead
  --help                this text

Exit codes: 0 done; else those of plimsoll run.
)";

// The exit code.
int describe_command(std::span<const std::string_view> args, const Environment& environment);

}  // namespace plimsoll::cli
