#include "worker/filter_program.h"

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace plimsoll::worker {

FilterContext new_filter() { return FilterContext(::seccomp_init(SCMP_ACT_KILL_PROCESS)); }

std::vector<sock_filter> program_of(const FilterContext& filter) {
  const UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file || ::seccomp_export_bpf(filter.get(), file.get()) != 0) return {};
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size <= 0 || static_cast<std::size_t>(size) % sizeof(sock_filter) != 0) return {};
  std::vector<sock_filter> program(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (::pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size) return {};
  return program;
}

int install_syscall_filter(const std::vector<sock_filter>& filter) noexcept {
  if (filter.empty()) return EINVAL;
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = const_cast<sock_filter*>(filter.data())};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

}  // namespace plimsoll::worker
