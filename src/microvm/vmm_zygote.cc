#include "microvm/vmm_zygote.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "guest/zygote_protocol.h"
#include "microvm/embedded_guest.h"
#include "microvm/kvm.h"
#include "microvm/template.h"
#include "microvm/vmm.h"
#include "microvm/vmm_filter.h"
#include "worker/jail.h"
#include "worker/zygote_server.h"

namespace plimsoll::microvm {

namespace {

struct Prepared {
  Kvm kvm;
  Template origin;
  std::vector<sock_filter> filter;
};

[[noreturn]] void become_vmm(UniqueFd channel, void* context) noexcept {
  const auto& prepared = *static_cast<const Prepared*>(context);
  run_vmm({.channel = std::move(channel),
           .kvm = &prepared.kvm,
           .origin = &prepared.origin,
           .filter = &prepared.filter});
}

int give_up(const Failure& failure) noexcept {
  return worker::report_no_zygote(failure.step, failure.error != 0 ? failure.error : EINVAL);
}

}  // namespace

int run_vmm_zygote(std::size_t memory_bytes) noexcept {
  (void)::prctl(PR_SET_NAME, "plimsoll-zygote", 0, 0, 0);
  // The program's own file has served its purpose; what else was inherited is not for us.
  if (::close_range(guest::kWorkerElfFd, ~0u, 0) != 0) {
    return worker::report_no_zygote("close descriptors", errno);
  }
  UniqueFd device(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!device) return worker::report_no_zygote("/dev/kvm cannot be opened", errno);
  auto kvm = Kvm::open(std::move(device));
  if (!kvm) return give_up(kvm.error());
  auto origin = Template::make(*kvm, embedded_guest(), embedded_snapshot(), memory_bytes);
  if (!origin) return give_up(origin.error());
  std::vector<sock_filter> filter = make_vmm_filter();
  if (filter.empty()) return worker::report_no_zygote("system call filter", EINVAL);
  Prepared prepared{
      .kvm = std::move(*kvm), .origin = std::move(*origin), .filter = std::move(filter)};
  const int proc_fd = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const worker::JailResult jail = worker::jail_zygote(proc_fd);
  if (jail.error != 0) return worker::report_no_zygote(jail.step, jail.error);
  ::close(proc_fd);
  return worker::serve_zygote(jail, {.become = become_vmm, .context = &prepared});
}

}  // namespace plimsoll::microvm
