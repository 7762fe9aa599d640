// Links the installed library, runs one snippet, and prints what it wrote and behind what.
#include <cstdio>

#include "plimsoll/sandbox.h"

int main() {
  auto sandbox = plimsoll::Sandbox::build({.provider = plimsoll::ProviderKind::kWasm});
  if (!sandbox) {
    std::fprintf(stderr, "build: %s\n", sandbox.error().message.c_str());
    return 1;
  }
  if (auto ready = sandbox->ensure_ready(); !ready) {
    std::fprintf(stderr, "ensure_ready: %s\n", ready.error().message.c_str());
    return 1;
  }
  auto outcome = sandbox->run_javascript({.code = "console.log(6*7)"});
  if (!outcome) {
    std::fprintf(stderr, "run: %s\n", outcome.error().message.c_str());
    return 1;
  }
  std::fwrite(outcome->stdout_bytes.data(), 1, outcome->stdout_bytes.size(), stdout);
  std::puts(std::string(plimsoll::to_string(outcome->evidence.tier)).c_str());
  return outcome->exit_code;
}
