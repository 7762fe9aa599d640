#include "worker/zygote.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/fd_message.h"
#include "base/unique_fd.h"
#include "guest/zygote_protocol.h"
#include "worker/jail.h"
#include "worker/slot.h"
#include "worker/syscall_filter.h"
#include "worker/worker.h"

namespace plimsoll::worker {

namespace {

using guest::ZygoteReply;

bool reply(const ZygoteReply& answer, std::span<const int> fds) noexcept {
  return send_message(guest::kControlFd, std::as_bytes(std::span(&answer, 1)), fds) == 0;
}

int report_failure(std::string_view step, int error) noexcept {
  ZygoteReply answer{.error = error};
  step.copy(answer.step.data(), answer.step.size() - 1);
  (void)reply(answer, {});
  return 1;
}

class Zygote {
 public:
  Zygote(std::vector<sock_filter> filter, int proc_fd, std::size_t memory_bytes) noexcept
      : filter_(std::move(filter)), proc_fd_(proc_fd), memory_bytes_(memory_bytes) {}

  // Until the library closes its end or breaks the protocol.
  void serve() noexcept {
    guest::ZygoteRequest request;
    for (;;) {
      const ReceivedMessage got =
          receive_message(guest::kControlFd, std::as_writable_bytes(std::span(&request, 1)));
      if (got.error != 0 || got.size != sizeof request) return;
      bury_the_dead();
      const bool go_on = request.op == guest::ZygoteOp::kSpawn  ? spawn()
                         : request.op == guest::ZygoteOp::kReap ? reap(request.pid)
                                                                : false;
      if (!go_on) return;
    }
  }

 private:
  bool spawn() noexcept {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return reply({.error = errno}, {});
    }
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return reply({.error = errno}, {});
    if (child == 0) {
      ours.reset();
      run_worker({.channel = std::move(theirs),
                  .proc_fd = proc_fd_,
                  .filter = &filter_,
                  .memory_bytes = memory_bytes_});
    }
    const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    if (!handle) {
      const int error = errno;
      (void)::kill(child, SIGKILL);
      (void)::waitpid(child, nullptr, 0);
      return reply({.error = error}, {});
    }
    const int fds[] = {ours.get(), handle.get()};
    return reply({.pid = child}, fds);
  }

  // Answers how a worker died, and makes sure that it did.
  bool reap(pid_t child) noexcept {
    if (child <= 0) return reply({.error = EINVAL}, {});
    for (const Ended& ended : ended_) {
      if (ended.pid == child) return reply({.pid = child, .wait_status = ended.status}, {});
    }
    // A number that is no child's is somebody else's: not one signal goes there.
    int status = 0;
    pid_t got = ::waitpid(child, &status, WNOHANG);
    if (got == 0) {
      (void)::kill(child, SIGKILL);
      do {
        got = ::waitpid(child, &status, 0);
      } while (got < 0 && errno == EINTR);
    }
    if (got < 0) return reply({.error = errno}, {});
    return reply({.pid = child, .wait_status = status}, {});
  }

  // Workers that died without anybody asking leave no zombies; how they died is kept for a while.
  void bury_the_dead() noexcept {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      ended_[next_ended_] = {.pid = pid, .status = status};
      next_ended_ = (next_ended_ + 1) % ended_.size();
    }
  }

  struct Ended {
    pid_t pid = 0;
    int status = 0;
  };
  std::array<Ended, 64> ended_{};
  std::size_t next_ended_ = 0;
  std::vector<sock_filter> filter_;
  int proc_fd_;
  std::size_t memory_bytes_;
};

}  // namespace

int run_zygote(std::size_t memory_bytes) noexcept {
  (void)::prctl(PR_SET_NAME, "plimsoll-zygote", 0, 0, 0);
  if (::close_range(guest::kWorkerElfFd + 1, ~0u, 0) != 0) {
    return report_failure("close descriptors", errno);
  }
  if (const char* problem = prepare_slot(guest::kWorkerElfFd, memory_bytes)) {
    return report_failure(problem, ENOMEM);
  }
  ::close(guest::kWorkerElfFd);
  std::vector<sock_filter> filter = make_syscall_filter();
  if (filter.empty()) return report_failure("system call filter", EINVAL);
  const int proc_fd = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const JailResult jail = jail_zygote(proc_fd);
  if (jail.error != 0) return report_failure(jail.step, jail.error);
  if (!reply({.achieved = jail.achieved}, {})) return 1;
  Zygote(std::move(filter), proc_fd, memory_bytes).serve();
  return 0;
}

}  // namespace plimsoll::worker
