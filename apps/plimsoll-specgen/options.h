// The command line of plimsoll-specgen.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "specgen/generator.h"

namespace plimsoll::specgen_app {

enum class Command { kHelp, kVersion, kGenerate };
enum class Warnings { kTold, kErrors };

struct Options {
  Command command = Command::kHelp;
  std::string input;                          // "-": standard input
  std::optional<specgen::Artifact> artifact;  // of -emit; else all go to outdir
  std::string outdir;
  Warnings warnings = Warnings::kTold;
  specgen::GenerateOptions generate{};
};

inline constexpr std::string_view kHelp =
    R"(Usage: plimsoll-specgen -emit ARTIFACT|-outdir DIR [FLAGS] FILE|-

Makes of one OpenAPI 3.0 or 3.1 document (JSON or YAML) what a grant needs: the routes
that the broker enforces, the JavaScript client that the guest calls, its types, the
description for the model. Reads no other file, opens no connection.

  -emit ARTIFACT  one of these on standard output:
                    grants       a profiles file with one profile
                    allow        the routes, as JSON
                    preamble     the client's methods, JavaScript
                    description  for a model
                    catalog      the routes of the whole document, untrimmed
                    health       the health check's route, if there is one
                    types        the client's types, TypeScript
  -outdir DIR     all of them as files: grants.json, allow.json, preamble.js,
                  description.txt, catalog.json, health_check.txt, types.d.ts
  -global NAME    the client's name in JavaScript (default host)
  -include GLOB   only operations whose method name, '/path' or 'METHOD /path' matches;
                  '*' is any run of characters; may be repeated
  -exclude GLOB   not those; may be repeated
  -max-description BYTES
                  the size of the description (default 16384, from 1024)
  -strict         warnings are errors
  --help          this text
  --version       the version

A flag has one dash or two. Warnings go to standard error.
Exit codes: 0 done, 1 the document is not usable or something failed, 2 usage.
)";

// Errors are for people, without a full stop.
[[nodiscard]] std::expected<Options, std::string> parse_options(
    std::span<const std::string_view> args);

}  // namespace plimsoll::specgen_app
