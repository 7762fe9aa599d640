// The command line of `plimsoll run`.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "environment.h"
#include "plimsoll/request.h"
#include "plimsoll/sandbox.h"
#include "remote_options.h"

namespace plimsoll::cli {

inline constexpr std::string_view kRunHelp =
    R"(Usage: plimsoll run [FLAGS] -e CODE
       plimsoll run [FLAGS] FILE
       plimsoll run [FLAGS] -          (the source from standard input)

Runs one JavaScript snippet behind a boundary. The snippet's output goes to the
standard streams byte for byte, and its exit code is the exit code.

  -e CODE               the source itself
  --provider P          wasm (in a jailed process), docker (in a container;
                        SANDBOX_DOCKER_HOST and SANDBOX_DOCKER_IMAGE name the engine and
                        the image) or microvm (in a virtual machine); else
                        SANDBOX_PROVIDER, else wasm
  --min-isolation T     none, process, container, kernel or vm: refuse to run behind
                        a weaker boundary (default none)
  --timeout D           how long the code may run: 500ms, 10s, 1m (default 10s, at
                        most 30s with wasm and microvm, 2m with docker)
  --max-output BYTES    what is kept of each stream, 1 to 67108864 (default 67108864)
  --memory-mb N         the snippet's memory in MiB, 16 to 1024 (default 64); with
                        docker the container's, 32 to 1048576 (default 256)
  --remote URL          run it on a service instead (https://sandbox.example:8443)
                        and check its answer; --provider, --max-output and --memory-mb
                        are that service's own then
  --token-file FILE     the service's token, which others must not be able to read;
                        else PLIMSOLL_CLIENT_TOKEN_FILE
  --ca-file FILE        the authorities that may vouch for the service, in PEM, instead
                        of the system's
  --http 1|2            the HTTP version (default 1)
  --grant-profile NAME  the service's grant profile whose API the snippet may call
  --insecure-cleartext  allow http:// to another host: all on the way can read it
  --json                one JSON object on stdout instead: the output in base64 (and
                        as text when it is UTF-8), termination, evidence
  --help                this text

A source has 1 to 1048576 bytes. Long flags are accepted with one dash too.

Exit codes: the snippet's own; 124 it ran out of time, 134 the engine failed,
137 out of memory, 141 the reader of our output left, 153 it wrote too much,
128+N killed by signal N. Without a result:
   2 usage                     72 the service does not know the token
  65 the request is invalid    73 canceled
  66 the source is unreadable  74 the output could not be written
  67 not supported             75 no free slot in time
  68 no connection             76 the service's answer does not hold
  69 execution is disabled     77 the boundary is weaker than --min-isolation
  70 not ready: the sandbox    78 the configuration is invalid
     failed its own tests      79 the token may not do this
  71 the host or the service failed; the code may have run
A snippet may exit with any of these codes itself; --json tells which it was.
)";

enum class RunFormat { kBytes, kJson };

// A parsed command line.
struct RunOptions {
  bool help = false;
  RunFormat format = RunFormat::kBytes;
  SandboxConfig config;
  std::optional<RemoteOptions> remote{};  // set: a service, and `config` is of no use
  RunRequest request;                     // without the code when `source_path` is set
  std::string source_path;                // empty: the code came with -e
};

struct RunOptionsError {
  int exit_code = 0;
  std::string message;
};

// Pure. Every mistake of the command line is named at once. Errors: kExitUsage;
// kExitInvalidConfig when SANDBOX_PROVIDER is wrong.
[[nodiscard]] std::expected<RunOptions, RunOptionsError> parse_run_options(
    std::span<const std::string_view> args, const Environment& environment);

}  // namespace plimsoll::cli
