#include "smoke_check.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::cli {

HostCheck start_for_real(ProviderKind provider, IsolationEvidence& evidence) {
  HostCheck check{.name = "smoke test",
                  .detail = provider == ProviderKind::kMicrovm
                                ? "a virtual machine was started and attacked, and it held"
                                : "a worker was started and attacked, and the jail held"};
  SandboxConfig config;
  config.provider = provider;
  config.wasm.pool = 1;
  config.microvm.pool = 1;
  auto sandbox = Sandbox::build(config);
  Result<IsolationEvidence> ready =
      sandbox ? sandbox->ensure_ready() : std::unexpected(sandbox.error());
  if (ready) {
    evidence = *std::move(ready);
    return check;
  }
  check.finding = Finding::kMissing;
  check.detail = fmt::format("{}: {}", to_string(ready.error().code), ready.error().message);
  check.remedy = "see the checks above; without one that fails, please report it";
  return check;
}

}  // namespace plimsoll::cli
