#include <plimsoll/sandbox.h>

#include <iostream>

int main() {
  plimsoll::SandboxConfig config;
  config.provider = plimsoll::ProviderKind::kWasm;  // the default runs nothing

  auto sandbox = plimsoll::Sandbox::build(config);
  if (!sandbox) {
    std::cerr << sandbox.error().message << '\n';  // every mistake in the configuration
    return 1;
  }
  if (auto ready = sandbox->ensure_ready(); !ready) {
    std::cerr << ready.error().message << '\n';  // what failed when a worker was attacked
    return 1;
  }

  plimsoll::RunRequest request;
  request.code = "console.log(6 * 7)";
  request.timeout = plimsoll::Millis{500};
  request.minimum_isolation = plimsoll::Isolation::kProcess;  // refused when it is weaker

  const auto outcome = sandbox->run_javascript(request);
  if (!outcome) {
    std::cerr << outcome.error().message << '\n';  // not_dispatched says whether it may have run
    return 1;
  }
  std::cout << outcome->stdout_bytes;  // 42
  return outcome->exit_code;
}
