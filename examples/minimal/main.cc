// Runs one snippet and prints its result, then the facts that the boundary's tier rests on.
// SANDBOX_PROVIDER chooses what isolates: "wasm", also when it is not set; "microvm"; or "docker",
// whose engine, image and runtime are SANDBOX_DOCKER_HOST, SANDBOX_DOCKER_IMAGE and
// SANDBOX_DOCKER_RUNTIME.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/sandbox.h"

namespace {

constexpr std::string_view kSnippet = R"js(
const people = [
  { name: "Ada", department: "Engineering", salary: 120000 },
  { name: "Grace", department: "Engineering", salary: 130000 },
  { name: "Mary", department: "Research", salary: 115000 },
];
const totals = {};
for (const { department, salary } of people) {
  totals[department] = (totals[department] ?? 0) + salary;
}
console.log(totals);
)js";

int fail(const plimsoll::Error& error) {
  fmt::print(stderr, "{}: {}\n", to_string(error.code), error.message);
  return 1;
}

std::string setting(const char* name, std::string fallback) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr || *value == '\0' ? std::move(fallback) : std::string(value);
}

}  // namespace

int main() {
  const std::string wanted = setting("SANDBOX_PROVIDER", "wasm");
  plimsoll::SandboxConfig config;
  if (wanted == "wasm") {
    config.provider = plimsoll::ProviderKind::kWasm;
  } else if (wanted == "docker") {
    config.provider = plimsoll::ProviderKind::kDocker;
    config.docker.host = setting("SANDBOX_DOCKER_HOST", config.docker.host);
    config.docker.image = setting("SANDBOX_DOCKER_IMAGE", config.docker.image);
    config.docker.runtime = setting("SANDBOX_DOCKER_RUNTIME", config.docker.runtime);
    config.docker.seccomp = setting("SANDBOX_DOCKER_SECCOMP", config.docker.seccomp);
  } else if (wanted == "microvm") {
    config.provider = plimsoll::ProviderKind::kMicrovm;
  } else {
    fmt::print(stderr, "SANDBOX_PROVIDER is {}; wasm, docker and microvm are accepted\n", wanted);
    return 2;
  }
  auto sandbox = plimsoll::Sandbox::build(config);  // checks, and starts nothing
  if (!sandbox) return fail(sandbox.error());
  auto ready = sandbox->ensure_ready();  // starts the workers and attacks one
  if (!ready) return fail(ready.error());
  plimsoll::RunRequest request;
  request.code = kSnippet;
  request.minimum_isolation = plimsoll::Isolation::kProcess;  // or nothing runs at all
  const auto outcome = sandbox->run_javascript(request);
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
