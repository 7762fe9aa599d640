// plimsoll-remote: the commands of plimsoll that speak to a service or read its grants. plimsoll
// starts it.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../plimsoll/environment.h"
#include "../plimsoll/exit_codes.h"
#include "../plimsoll/grants_command.h"
#include "../plimsoll/output.h"
#include "describe_command.h"
#include "remote_run_command.h"

namespace plimsoll::cli {
namespace {

std::string variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread, and nothing sets variables.
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

int dispatch(const std::vector<std::string_view>& args) {
  const Environment environment{.sandbox_provider = {},
                                .sandbox_docker_host = {},
                                .client_token_file = variable("PLIMSOLL_CLIENT_TOKEN_FILE")};
  const std::string_view command = args.empty() ? std::string_view() : args[0];
  if (command == "run") return remote_run_command(std::span(args).subspan(1), environment);
  if (command == "describe") return describe_command(std::span(args).subspan(1), environment);
  if (command == "grants") return grants_command(std::span(args).subspan(1));
  say("plimsoll-remote is a part of plimsoll; see plimsoll --help");
  return kExitUsage;
}

}  // namespace
}  // namespace plimsoll::cli

int main(int argc, char** argv) {
  plimsoll::cli::prepare_standard_streams();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::cli::dispatch(args);
}
