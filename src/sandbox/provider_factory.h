// From a checked configuration to the provider that it names.
#pragma once

#include <memory>

#include "plimsoll/sandbox.h"
#include "providers/provider.h"

namespace plimsoll {

// Starts nothing. `config` passed check_config(). Never null.
[[nodiscard]] std::unique_ptr<Provider> make_provider(const SandboxConfig& config);

}  // namespace plimsoll
