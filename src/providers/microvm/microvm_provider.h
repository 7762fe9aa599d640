// The VM tier: JavaScript in a virtual machine of its own, on this host's KVM.
#pragma once

#include <memory>

#include "plimsoll/sandbox.h"
#include "providers/provider.h"

namespace plimsoll {

// Starts nothing yet. The configuration must have been checked (sandbox/config_check.h).
[[nodiscard]] std::unique_ptr<Provider> make_microvm_provider(const MicrovmConfig& config);

}  // namespace plimsoll
