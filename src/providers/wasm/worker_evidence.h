// The boundary of one worker, as the kernel shows it to the host.
#pragma once

#include "plimsoll/evidence.h"
#include "plimsoll/result.h"

namespace plimsoll::wasm {

// Looks at a worker that has reported ready (jailed/process_facts.h). The tier is process when
// seccomp filters, no_new_privs is set and no capability is left; otherwise none: the process
// boundary is those three. The namespaces and the empty root strengthen the jail without carrying
// the tier. Errors: kNotReady, the process could not be read.
[[nodiscard]] Result<IsolationEvidence> measure_worker(int pidfd);

}  // namespace plimsoll::wasm
