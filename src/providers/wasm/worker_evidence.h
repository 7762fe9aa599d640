// What the kernel shows the host of one worker: the facts that its tier rests on.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "plimsoll/evidence.h"
#include "plimsoll/result.h"

namespace plimsoll::wasm {

// Reads /proc/PID of a worker that has reported ready (its jail stands, and cannot be taken down by
// the worker itself). `pidfd` proves that PID is still that process when the reading ends. The tier
// is process when seccomp filters, no_new_privs is set and no capability is left; otherwise none:
// the process boundary is those three. The namespaces and the empty root are stated as they are
// found, and strengthen the jail without carrying the tier. Errors: kNotReady, the process could
// not be read.
[[nodiscard]] Result<IsolationEvidence> measure_worker(int pidfd);

}  // namespace plimsoll::wasm
