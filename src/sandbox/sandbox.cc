#include "plimsoll/sandbox.h"

#include <utility>

#include "providers/provider.h"
#include "sandbox/config_check.h"
#include "sandbox/dispatch.h"
#include "sandbox/provider_factory.h"

namespace plimsoll {

Result<Sandbox> Sandbox::build(const SandboxConfig& config) {
  if (auto valid = check_config(config); !valid) {
    return std::unexpected(std::move(valid).error());
  }
  return Sandbox(make_provider(config), config.minimum_isolation);
}

Sandbox::Sandbox(std::unique_ptr<Provider> provider, Isolation minimum_isolation)
    : provider_(std::move(provider)), minimum_isolation_(minimum_isolation) {}

Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

// Both members are set once, before any other thread can see them, and the provider is safe to call
// from any thread: there is nothing here to lock.
Result<IsolationEvidence> Sandbox::ensure_ready() {
  return prove_ready(*provider_, minimum_isolation_);
}

Result<Outcome> Sandbox::run_javascript(const RunRequest& request, std::stop_token cancel) {
  return dispatch(*provider_, minimum_isolation_, request, std::move(cancel));
}

}  // namespace plimsoll
