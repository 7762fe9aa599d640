#include "providers/jailed/zygote_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/errno_text.h"
#include "base/fd_message.h"
#include "providers/jailed/failure.h"

namespace plimsoll::jailed {

namespace {

// How long the zygote may take for an answer. It answers in milliseconds; a machine under load may
// need longer; a zygote that does not answer at all must not hang the caller.
constexpr int kAnswerTimeoutMs = 5'000;
// Above the numbers that the child's descriptors get, so that no dup2 there hits another's source.
constexpr int kFirstSafeFd = 16;

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] posix_spawn_file_actions_t* get() noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class SpawnAttributes {
 public:
  SpawnAttributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // A group of its own: what a terminal sends to ours is not for it.
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

UniqueFd high(int fd) noexcept { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstSafeFd)); }

}  // namespace

Result<ZygoteProcess> ZygoteProcess::start(const WorkerProgram& program, int elf_fd,
                                           unsigned memory_mb) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return not_ready(fmt::format("no socket for the zygote: {}", errno_text(errno)));
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs_low(ends[1]);
  UniqueFd theirs = high(theirs_low.get());
  const UniqueFd elf = high(elf_fd);
  if (!theirs || !elf) {
    return not_ready(fmt::format("no descriptors for the zygote: {}", errno_text(errno)));
  }
  SpawnActions actions;
  const SpawnAttributes attributes;
  for (const int standard : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(actions.get(), standard, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawn_file_actions_adddup2(actions.get(), theirs.get(), guest::kControlFd);
  ::posix_spawn_file_actions_adddup2(actions.get(), elf.get(), guest::kWorkerElfFd);
  const std::string path = fmt::format("/proc/self/fd/{}", elf.get());
  std::string name(program.name);
  std::string mode = "--zygote";
  std::string memory = fmt::format("{}", memory_mb);
  char* const arguments[] = {name.data(), mode.data(), memory.data(), nullptr};
  char* const environment[] = {nullptr};  // nothing of the host's
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, path.c_str(), actions.get(), attributes.get(), arguments, environment);
  if (error != 0) {
    return not_ready(
        fmt::format("{0} could not be executed: {1}; where /proc or executable memfds are "
                    "forbidden, name an installed {0} ({2})",
                    program.name, errno_text(error), program.path_field));
  }
  ZygoteProcess zygote(std::move(ours), pid);
  // Only the child holds the other end now: when it ends, that is seen at once.
  theirs_low.reset();
  theirs.reset();
  auto hello = zygote.receive(nullptr);
  if (!hello) {
    return not_ready(
        fmt::format("what was executed as the worker is no {} of this version, or was killed: {}",
                    program.name, hello.error().message));
  }
  if (hello->error != 0) {
    hello->step.back() = '\0';
    return not_ready(fmt::format("the jail could not be built: {}: {}", hello->step.data(),
                                 errno_text(hello->error)));
  }
  zygote.achieved_ = hello->achieved;
  return zygote;
}

ZygoteProcess::ZygoteProcess(ZygoteProcess&& other) noexcept
    : control_(std::move(other.control_)),
      pid_(std::exchange(other.pid_, -1)),
      achieved_(other.achieved_),
      sound_(other.sound_) {}

ZygoteProcess& ZygoteProcess::operator=(ZygoteProcess&& other) noexcept {
  std::swap(control_, other.control_);
  std::swap(pid_, other.pid_);
  std::swap(achieved_, other.achieved_);
  std::swap(sound_, other.sound_);
  return *this;
}

ZygoteProcess::~ZygoteProcess() {
  if (pid_ < 0) return;
  control_.reset();
  (void)::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<guest::ZygoteReply> ZygoteProcess::receive(WorkerHandle* handle) {
  pollfd readable{.fd = control_.get(), .events = POLLIN, .revents = 0};
  int ready = -1;
  do {
    ready = ::poll(&readable, 1, kAnswerTimeoutMs);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    sound_ = false;
    return not_ready("the zygote does not answer");
  }
  guest::ZygoteReply reply;
  ReceivedMessage got =
      receive_message(control_.get(), std::as_writable_bytes(std::span(&reply, 1)));
  // Descriptors that found no room here are missing; the answer itself is whole.
  const bool no_room = got.error == EMSGSIZE && got.size == sizeof reply;
  if ((got.error != 0 && !no_room) || got.size != sizeof reply) {
    sound_ = false;
    return not_ready("the zygote is gone");
  }
  if (handle != nullptr) {
    handle->channel = std::move(got.fds[0]);
    handle->pidfd = std::move(got.fds[1]);
  }
  return reply;
}

Result<WorkerHandle> ZygoteProcess::spawn() {
  const guest::ZygoteRequest request{.op = guest::ZygoteOp::kSpawn};
  if (send_message(control_.get(), std::as_bytes(std::span(&request, 1)), {}) != 0) {
    sound_ = false;
    return not_ready("the zygote is gone");
  }
  WorkerHandle handle;
  const auto reply = receive(&handle);
  if (!reply) return std::unexpected(reply.error());
  if (reply->error != 0) {
    return not_ready(fmt::format("no worker could be forked: {}", errno_text(reply->error)));
  }
  if (!handle.channel || !handle.pidfd) {
    handle = {};  // the worker sees the end of its channel, and ends
    (void)reap(reply->pid);
    return not_ready("no worker: there is no room for its descriptors");
  }
  handle.zygote_pid = reply->pid;
  const int flags = ::fcntl(handle.channel.get(), F_GETFL);
  if (flags < 0 || ::fcntl(handle.channel.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return not_ready(fmt::format("the channel could not be set up: {}", errno_text(errno)));
  }
  return handle;
}

Result<int> ZygoteProcess::reap(pid_t zygote_pid) {
  const guest::ZygoteRequest request{.op = guest::ZygoteOp::kReap, .pid = zygote_pid};
  if (send_message(control_.get(), std::as_bytes(std::span(&request, 1)), {}) != 0) {
    sound_ = false;
    return not_ready("the zygote is gone");
  }
  const auto reply = receive(nullptr);
  if (!reply) return std::unexpected(reply.error());
  if (reply->error != 0) {
    return not_ready(fmt::format("no such worker: {}", errno_text(reply->error)));
  }
  return reply->wait_status;
}

}  // namespace plimsoll::jailed
