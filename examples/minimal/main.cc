// Runs one snippet and prints its result, then the facts that the boundary's tier rests on.
// SANDBOX_PROVIDER chooses what isolates: "wasm" (also when it is not set), "microvm" or "docker",
// of which SANDBOX_DOCKER_HOST, _IMAGE, _RUNTIME and _SECCOMP say more.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string_view>

#include "plimsoll/sandbox.h"

namespace {
constexpr std::string_view kSnippet = R"js(
const paid = [["Engineering", 120000], ["Engineering", 130000], ["Research", 115000]];
const totals = {};
for (const [department, salary] of paid) totals[department] = (totals[department] ?? 0) + salary;
console.log(totals);
)js";
int fail(const plimsoll::Error& error) {
  fmt::print(stderr, "{}: {}\n", to_string(error.code), error.message);
  return 1;
}
const char* setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr || *value == '\0' ? otherwise : value;
}
}  // namespace

int main() {
  using enum plimsoll::ProviderKind;
  const std::map<std::string_view, plimsoll::ProviderKind> kinds = {
      {"wasm", kWasm}, {"docker", kDocker}, {"microvm", kMicrovm}};
  const std::string_view wanted = setting("SANDBOX_PROVIDER", "wasm");
  if (!kinds.contains(wanted)) {
    fmt::print(stderr, "SANDBOX_PROVIDER is {}; wasm, docker and microvm are accepted\n", wanted);
    return 2;
  }
  plimsoll::SandboxConfig config{.provider = kinds.at(wanted)};
  auto& docker = config.docker;
  docker.host = setting("SANDBOX_DOCKER_HOST", docker.host.c_str());
  docker.image = setting("SANDBOX_DOCKER_IMAGE", docker.image.c_str());
  docker.runtime = setting("SANDBOX_DOCKER_RUNTIME", docker.runtime.c_str());
  docker.seccomp = setting("SANDBOX_DOCKER_SECCOMP", docker.seccomp.c_str());
  auto sandbox = plimsoll::Sandbox::build(config);  // checks, and starts nothing
  if (!sandbox) return fail(sandbox.error());
  // This starts the workers, and attacks one to see that its walls hold.
  if (auto ready = sandbox->ensure_ready(); !ready) return fail(ready.error());
  const auto outcome = sandbox->run_javascript(
      {.code = std::string(kSnippet),
       .minimum_isolation = plimsoll::Isolation::kProcess});  // or nothing runs
  if (!outcome) return fail(outcome.error());
  fmt::print("provider:  {}\nisolation: {}\nexit code: {}\ntimed out: {}\ntruncated: {}\n",
             outcome->provider, to_string(outcome->evidence.tier), outcome->exit_code,
             outcome->timed_out, outcome->stdout_truncated || outcome->stderr_truncated);
  fmt::print("duration:  {} µs\nstdout:\n{}evidence:\n", outcome->duration.count(),
             outcome->stdout_bytes);
  for (const auto& fact : outcome->evidence.facts) {
    fmt::print("  {} = {} ({})\n", fact.name, fact.value, to_string(fact.basis));
  }
}
