// How a thread of a process finds its linear memory; a guest image has its own way.
#include "engine/instance.h"

#if defined(__x86_64__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace plimsoll::engine {

bool Instance::bind_thread() const noexcept {
#if defined(__x86_64__)
  return ::syscall(SYS_arch_prctl, ARCH_SET_GS, memory_->base()) == 0;
#else
  return true;
#endif
}

}  // namespace plimsoll::engine
