// The boundary of one machine, as the kernel shows it to the host.
#pragma once

#include "plimsoll/result.h"
#include "providers/jailed/worker_program.h"

namespace plimsoll::microvm {

// Looks at a monitor that has reported ready. The tier is vm when its process holds a virtual
// machine and a virtual processor of KVM's, executes the very file that this host started, and is
// jailed (filtered system calls, no_new_privs, no capability), and when the host knows what backs
// its KVM; otherwise none. Each run adds how often its processor left the guest, by KVM's count: a
// run that did not move the count was not in the machine, and is an error. Errors: kNotReady.
[[nodiscard]] Result<jailed::Measured> measure_machine(jailed::ReadyProcess ready);

}  // namespace plimsoll::microvm
