// What the VM tier will need of the host.
#pragma once

#include "host_check.h"

namespace plimsoll::cli {

// Opens /dev/kvm and asks for its API version; makes no virtual machine.
[[nodiscard]] TierReport examine_vm_tier();

// The processor's virtualisation by its flags, as /proc/cpuinfo spells them: "vmx", "svm" or "".
// Pure.
[[nodiscard]] std::string_view virtualisation_flag(std::string_view cpuinfo) noexcept;

}  // namespace plimsoll::cli
