#include "smoke_check.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::cli {

namespace {

std::string_view what_held(ProviderKind provider) noexcept {
  switch (provider) {
    case ProviderKind::kDocker:
      return "a container was started and attacked, and it held";
    case ProviderKind::kMicrovm:
      return "a virtual machine was started and attacked, and it held";
    case ProviderKind::kWasm:
    case ProviderKind::kDisabled:
      break;
  }
  return "a worker was started and attacked, and the jail held";
}

}  // namespace

HostCheck start_for_real(SandboxConfig config, IsolationEvidence& evidence) {
  HostCheck check{.name = "smoke test", .detail = std::string(what_held(config.provider))};
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
