#include "worker/zygote_server.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <span>
#include <utility>

#include "base/fd_message.h"
#include "guest/zygote_protocol.h"

namespace plimsoll::worker {

namespace {

using guest::ZygoteReply;

bool reply(const ZygoteReply& answer, std::span<const int> fds) noexcept {
  return send_message(guest::kControlFd, std::as_bytes(std::span(&answer, 1)), fds) == 0;
}

class Zygote {
 public:
  explicit Zygote(const ZygoteChild& child) noexcept : child_(child) {}

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
  bool spawn() const noexcept {
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
      child_.become(std::move(theirs), child_.context);
      ::_exit(1);
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
  ZygoteChild child_;
};

}  // namespace

int report_no_zygote(std::string_view step, int error) noexcept {
  ZygoteReply answer{.error = error};
  step.copy(answer.step.data(), answer.step.size() - 1);
  (void)reply(answer, {});
  return 1;
}

int serve_zygote(const JailResult& jail, const ZygoteChild& child) noexcept {
  if (!reply({.achieved = jail.achieved}, {})) return 1;
  Zygote(child).serve();
  return 0;
}

}  // namespace plimsoll::worker
