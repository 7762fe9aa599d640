// plimsoll-worker, which is part of this library.
#pragma once

#include "providers/jailed/worker_program.h"

namespace plimsoll::wasm {

// Its hash is engine, prelude, snapshot and jail in one content address.
[[nodiscard]] const jailed::WorkerProgram& worker_program() noexcept;

}  // namespace plimsoll::wasm
