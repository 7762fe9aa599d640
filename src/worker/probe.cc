#include "worker/probe.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace plimsoll::worker {

int try_forbidden(std::uint8_t act) noexcept {
  long result = -1;
  switch (static_cast<Forbidden>(act)) {
    case Forbidden::kOpen:
      result = ::open("/", O_RDONLY | O_CLOEXEC);
      break;
    case Forbidden::kSocket:
      result = ::socket(AF_INET, SOCK_STREAM, 0);
      break;
    case Forbidden::kExecve: {
      char* const none[] = {nullptr};
      result = ::execve("/bin/sh", none, none);
      break;
    }
    case Forbidden::kPtrace:
      result = ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      break;
    case Forbidden::kFork:
      result = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
      break;
    case Forbidden::kKill:
      result = ::kill(1, 0);
      break;
    case Forbidden::kIoUring:
      result = ::syscall(SYS_io_uring_setup, 8, nullptr);
      break;
    case Forbidden::kExecutableMemory: {
      void* at = ::mmap(nullptr, 4'096, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      result = at == MAP_FAILED ? -1 : 0;
      break;
    }
    case Forbidden::kMapFile: {
      void* at = ::mmap(nullptr, 4'096, PROT_READ, MAP_PRIVATE, 3, 0);
      result = at == MAP_FAILED ? -1 : 0;
      break;
    }
    case Forbidden::kPrlimit:
      result = ::syscall(SYS_prlimit64, 1, RLIMIT_CPU, nullptr, nullptr);
      break;
    case Forbidden::kIoctl: {
      int size = 0;
      result = ::ioctl(4, FIONREAD, &size);  // the descriptor of the one that is allowed
      break;
    }
    default:
      return 2;
  }
  return result >= 0 ? 1 : 0;
}

}  // namespace plimsoll::worker
