// plimsolld: the sandbox as a service. Configured by environment variables only; -h lists them.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "../plimsoll/output.h"
#include "../plimsoll/version.h"
#include "config/environment.h"
#include "daemon.h"
#include "plimsoll/secret.h"

namespace plimsoll::daemon {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitCouldNot = 1;
constexpr int kExitUsage = 2;

constexpr std::array kBuilt = {ProviderChoice::kWasm, ProviderChoice::kDocker,
                               ProviderChoice::kMicrovm};

constexpr std::string_view kUsage =
    "plimsolld: runs untrusted code behind a boundary that it reports\n"
    "\n"
    "usage: plimsolld [-h | --help | --version]\n"
    "\n"
    "The audit stream is on standard output, one JSON line a run; the log is on standard error.\n"
    "SIGTERM drains for at most 30 s; a second one stops at once.\n"
    "\n"
    "Everything is set by environment variables:\n";

void say(std::string_view text) {
  // Where nobody reads, nothing can be said.
  [[maybe_unused]] const auto said =
      cli::write_all(STDERR_FILENO, "plimsolld: " + std::string(text) + "\n");
}

int refuse(const std::vector<std::string>& mistakes) {
  for (const std::string& mistake : mistakes) say(mistake);
  return kExitCouldNot;
}

// Larger blocks are given back to the system when they are freed. By itself glibc raises its own
// threshold to the largest block that it saw, and keeps what many threads once held.
constexpr int kGivenBackFromBytes = 1 << 20;

// What must hold before the first thread starts: no core to leak tokens into and no file for the
// keys of connections, no death by a reader that left, memory that comes back, and the two signals
// for serve() alone.
void prepare_process() {
  (void)::unsetenv("SSLKEYLOGFILE");  // libcurl follows it; parse_environment() says so
  (void)::mallopt(M_MMAP_THRESHOLD, kGivenBackFromBytes);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignore, nullptr);
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::sigaddset(&ends, SIGINT);
  (void)::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
}

int run(const std::vector<std::string_view>& args) {
  if (args.size() == 1 && (args[0] == "-h" || args[0] == "--help" || args[0] == "-help")) {
    return cli::write_all(STDOUT_FILENO, std::string(kUsage) + environment_help()) ? kExitDone
                                                                                   : kExitCouldNot;
  }
  if (args.size() == 1 && (args[0] == "--version" || args[0] == "-version")) {
    const std::string text = "plimsolld " + std::string(cli::kVersion) + "\n";
    return cli::write_all(STDOUT_FILENO, text) ? kExitDone : kExitCouldNot;
  }
  if (!args.empty()) {
    say("it takes no arguments but -h, --help and --version; see plimsolld --help");
    return kExitUsage;
  }
  const Environment environment = to_environment(environ);
  prepare_process();
  const auto parsed = parse_environment(environment, kBuilt);
  if (!parsed) return refuse(parsed.error());
  for (const std::string& warning : parsed->warnings) say(warning);
  const auto daemon = Daemon::start(parsed->config, [&environment](const std::string& name) {
    const auto at = environment.find(name);
    return at == environment.end() ? Secret() : Secret(at->second);
  });
  if (!daemon) return refuse(daemon.error());
  (*daemon)->serve();
  return kExitDone;
}

}  // namespace
}  // namespace plimsoll::daemon

int main(int argc, char** argv) { return plimsoll::daemon::run({argv + 1, argv + argc}); }
