#include "sandbox/provider_factory.h"

#include "providers/disabled/disabled_provider.h"
#include "providers/docker/docker_provider.h"
#include "providers/microvm/microvm_provider.h"
#include "providers/wasm/wasm_provider.h"

namespace plimsoll {

std::unique_ptr<Provider> make_provider(const SandboxConfig& config) {
  switch (config.provider) {
    case ProviderKind::kWasm:
      return make_wasm_provider(config.wasm);
    case ProviderKind::kDocker:
      return make_docker_provider(config.docker);
    case ProviderKind::kMicrovm:
      return make_microvm_provider(config.microvm);
    case ProviderKind::kDisabled:
      break;
  }
  return std::make_unique<DisabledProvider>();
}

}  // namespace plimsoll
