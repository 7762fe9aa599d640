// Whether the jail and the limits really hold on this host: attacks on a throwaway worker.
#pragma once

#include "plimsoll/result.h"
#include "providers/jailed/worker_factory.h"

namespace plimsoll::jailed {

// Each of these must end the way it should, within its time:
//   an allocation bomb       out of memory, at a small limit (the mechanism is the same at any)
//   an endless loop          timed out
//   an output flood          stopped
//   a fresh start afterwards 42: the resets in between were real
//   a forbidden system call  the kernel kills the worker (SIGSYS)
// Errors: kNotReady, naming the attack that was not withstood and what happened instead.
[[nodiscard]] Result<void> run_smoke_test(WorkerFactory& factory);

}  // namespace plimsoll::jailed
