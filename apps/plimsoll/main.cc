// plimsoll: runs a snippet behind a boundary, and says what boundaries this host offers.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "doctor_command.h"
#include "environment.h"
#include "exit_codes.h"
#include "hand_over.h"
#include "output.h"
#include "run_command.h"
#include "version.h"

namespace plimsoll::cli {
namespace {

constexpr std::string_view kHelp =
    R"(Usage: plimsoll COMMAND [FLAGS]

Runs untrusted code behind an isolation boundary and reports which it was.

  run        run one JavaScript snippet, here or on a service
  describe   what a service offers
  doctor     what this host offers for each isolation tier, and what is missing
  grants     what a file of capability grants permits

  --help     this text; after a command: the command's
  --version  the version
)";

std::string variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread, and nothing sets variables.
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Environment read_environment() {
  return {.sandbox_provider = variable("SANDBOX_PROVIDER"),
          .sandbox_docker_host = variable("SANDBOX_DOCKER_HOST"),
          .client_token_file = variable("PLIMSOLL_CLIENT_TOKEN_FILE"),
          .sandbox_docker_certs = variable("SANDBOX_DOCKER_CERTS"),
          .sandbox_docker_image = variable("SANDBOX_DOCKER_IMAGE"),
          .sandbox_docker_runtime = variable("SANDBOX_DOCKER_RUNTIME"),
          .sandbox_docker_seccomp = variable("SANDBOX_DOCKER_SECCOMP")};
}

int print(std::string_view text) {
  return write_all(STDOUT_FILENO, text) ? kExitDone : kExitOutput;
}

int dispatch(const std::vector<std::string_view>& args) {
  const std::string_view command = args.empty() ? std::string_view() : args[0];
  if (command == "run") return run_command(std::span(args).subspan(1), read_environment());
  if (command == "doctor") return doctor_command(std::span(args).subspan(1), read_environment());
  if (command == "describe") return hand_over(command, std::span(args).subspan(1));
  if (command == "grants") return hand_over(command, std::span(args).subspan(1));
  if (command == "--help" || command == "-help" || command == "-h") return print(kHelp);
  if (command == "--version" || command == "-version") {
    return print("plimsoll " + std::string(kVersion) + "\n");
  }
  say(command.empty()
          ? std::string("a command is needed: run, describe, doctor or grants; see plimsoll --help")
          : "unknown command '" + std::string(command) +
                "'; run, describe, doctor and grants are accepted; see plimsoll --help");
  return kExitUsage;
}

}  // namespace
}  // namespace plimsoll::cli

int main(int argc, char** argv) {
  plimsoll::cli::prepare_standard_streams();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::cli::dispatch(args);
}
