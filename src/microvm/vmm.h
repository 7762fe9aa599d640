// A VMM's life: make the machine, jail itself, say so, then run what the host sends until the
// channel ends.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/unique_fd.h"
#include "microvm/kvm.h"
#include "microvm/template.h"

namespace plimsoll::microvm {

struct VmmStart {
  UniqueFd channel;
  const Kvm* kvm = nullptr;
  const Template* origin = nullptr;
  const std::vector<sock_filter>* filter = nullptr;
};

// In a freshly forked process. The first frame, kReady, carries the descriptor of KVM's counters.
// Ends the process: 0 when the host closed the channel or a run has spent the machine, 1 when the
// protocol was broken or a step failed before kReady.
[[noreturn]] void run_vmm(VmmStart start) noexcept;

}  // namespace plimsoll::microvm
