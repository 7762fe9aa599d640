// plimsoll-vmm, which is part of this library (on x86-64).
#pragma once

#include "providers/jailed/worker_program.h"

namespace plimsoll::microvm {

// Its hash is guest image, engine, prelude, snapshot and jail in one content address.
[[nodiscard]] const jailed::WorkerProgram& vmm_program() noexcept;

}  // namespace plimsoll::microvm
