#include "worker/zygote.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "guest/zygote_protocol.h"
#include "worker/jail.h"
#include "worker/slot.h"
#include "worker/syscall_filter.h"
#include "worker/worker.h"
#include "worker/zygote_server.h"

namespace plimsoll::worker {

namespace {

struct Prepared {
  std::vector<sock_filter> filter;
  int proc_fd = -1;
  std::size_t memory_bytes = 0;
};

[[noreturn]] void become_worker(UniqueFd channel, void* context) noexcept {
  const auto& prepared = *static_cast<const Prepared*>(context);
  run_worker({.channel = std::move(channel),
              .proc_fd = prepared.proc_fd,
              .filter = &prepared.filter,
              .memory_bytes = prepared.memory_bytes});
}

}  // namespace

int run_zygote(std::size_t memory_bytes) noexcept {
  (void)::prctl(PR_SET_NAME, "plimsoll-zygote", 0, 0, 0);
  if (::close_range(guest::kWorkerElfFd + 1, ~0u, 0) != 0) {
    return report_no_zygote("close descriptors", errno);
  }
  if (const char* problem = prepare_slot(guest::kWorkerElfFd, memory_bytes)) {
    return report_no_zygote(problem, ENOMEM);
  }
  ::close(guest::kWorkerElfFd);
  std::vector<sock_filter> filter = make_syscall_filter();
  if (filter.empty()) return report_no_zygote("system call filter", EINVAL);
  const int proc_fd = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const JailResult jail = jail_zygote(proc_fd);
  if (jail.error != 0) return report_no_zygote(jail.step, jail.error);
  Prepared prepared{.filter = std::move(filter), .proc_fd = proc_fd, .memory_bytes = memory_bytes};
  return serve_zygote(jail, {.become = become_worker, .context = &prepared});
}

}  // namespace plimsoll::worker
