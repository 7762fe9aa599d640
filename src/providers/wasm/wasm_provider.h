// The process tier: JavaScript in a jailed QuickJS worker.
#pragma once

#include <memory>

#include "plimsoll/sandbox.h"
#include "providers/provider.h"

namespace plimsoll {

// Starts nothing yet. The configuration must have been checked (sandbox/config_check.h).
[[nodiscard]] std::unique_ptr<Provider> make_wasm_provider(const WasmConfig& config);

}  // namespace plimsoll
