// The process that makes VMMs: it boots the template, jails itself, and forks.
#pragma once

#include <cstddef>

namespace plimsoll::microvm {

// Until the library closes its end. For main(). It never runs code of a caller's: the one machine
// that it enters, for the template, holds the image and the prelude, and is gone before the first
// fork.
int run_vmm_zygote(std::size_t memory_bytes) noexcept;

}  // namespace plimsoll::microvm
