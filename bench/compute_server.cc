// Runs programs for bench/peers/compute.mjs, so that both engines are driven alike: a line with the
// size of the program in bytes, the program; then a line with what it printed.
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include "plimsoll/sandbox.h"

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "compute_server: " << why << '\n';
  std::exit(1);
}

}  // namespace

int main() {
  auto sandbox = plimsoll::Sandbox::build(
      {.provider = plimsoll::ProviderKind::kWasm, .wasm = {.pool = 1, .memory_mb = 256}});
  if (!sandbox) give_up(sandbox.error().message);
  if (auto ready = sandbox->ensure_ready(); !ready) give_up(ready.error().message);
  for (std::size_t size = 0; std::cin >> size;) {
    std::cin.ignore(1);  // the end of the line
    std::string code(size, '\0');
    if (!std::cin.read(code.data(), static_cast<std::streamsize>(size))) give_up("cut short");
    const auto outcome =
        sandbox->run_javascript({.code = std::move(code), .timeout = plimsoll::kMaxWasmTimeout});
    if (!outcome) give_up(outcome.error().message);
    if (outcome->exit_code != 0) give_up(outcome->stderr_bytes);
    std::cout << outcome->stdout_bytes << std::flush;
  }
  return 0;
}
