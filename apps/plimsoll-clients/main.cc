// plimsoll-clients: who may call a daemon.
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "../plimsoll/output.h"
#include "../plimsoll/version.h"
#include "base/entropy.h"
#include "base/sha256.h"
#include "commands.h"
#include "options.h"

namespace plimsoll::clients {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitCouldNot = 1;
constexpr int kExitUsage = 2;

int print(std::string_view text) {
  return cli::write_all(STDOUT_FILENO, text) ? kExitDone : kExitCouldNot;
}

int run(const std::vector<std::string_view>& args) {
  const auto options = parse_options(args);
  if (!options) {
    say(options.error() + "; see plimsoll-clients --help");
    return kExitUsage;
  }
  if (options->command == Command::kHelp) return print(kHelp);
  if (options->command == Command::kVersion) {
    return print("plimsoll-clients " + std::string(cli::kVersion) + "\n");
  }
  SystemEntropy entropy;
  const auto done = run_command(*options, entropy);
  if (!done) say(done.error().message);
  return done ? kExitDone : kExitCouldNot;
}

}  // namespace
}  // namespace plimsoll::clients

int main(int argc, char** argv) {
  plimsoll::cli::prepare_standard_streams();
  // A limit on the size of files makes a write fail, as a full disk does, and does not kill.
  if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return 1;
  // The first hash makes OpenSSL read its configuration: here, where no registry is open yet.
  static_cast<void>(plimsoll::sha256({}));
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::clients::run(args);
}
