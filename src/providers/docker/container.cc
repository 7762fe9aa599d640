#include "providers/docker/container.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "base/json_text.h"
#include "providers/docker/attached_stream.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {
// A runner is ready in 0.1 to 0.3 s, on a machine with nothing else to do.
constexpr std::chrono::seconds kReadyTimeout{20};
constexpr std::chrono::milliseconds kEndTimeout{5'000};
}  // namespace

Result<std::unique_ptr<Container>> Container::start(EngineApi& engine, ContainerYard& yard,
                                                    ContainerSpec spec, const Expected& expected,
                                                    const std::stop_token& cancel) {
  std::unique_ptr<Container> container(new Container(engine, yard.ticket()));
  auto up = container->launch(std::move(spec), expected, cancel);
  if (cancel.stop_requested()) return canceled_before_dispatch();
  if (!up) return std::unexpected(std::move(up).error());
  return container;
}

// Ends when the runner is ready, its stream is gone, or `cancel` cuts that off.
bool Container::comes_up(const std::stop_token& cancel) {
  const std::stop_callback cut_off(cancel, [this] { (void)::shutdown(stream_fd_, SHUT_RDWR); });
  return channel_->await_ready(guest::GuestChannel::Clock::now() + kReadyTimeout);
}

Result<void> Container::launch(ContainerSpec spec, const Expected& expected,
                               const std::stop_token& cancel) {
  spec.labels = ticket_.labels();
  auto id = engine_.create(to_json(spec), ticket_.name());
  if (!id) return std::unexpected(std::move(id).error());
  ticket_.made(*std::move(id));
  if (cancel.stop_requested()) return canceled_before_dispatch();
  auto stream = engine_.attach(ticket_.id());
  if (!stream) return std::unexpected(std::move(stream).error());
  stream_fd_ = (*stream)->fd();
  const auto* attached = dynamic_cast<const AttachedStream*>(stream->get());
  channel_.emplace(*std::move(stream));
  if (auto started = engine_.start(ticket_.id(), cancel); !started) return started;
  // Asked while the runner comes up.
  auto state =
      engine_.endpoint().is_local() ? engine_.inspect(ticket_.id(), cancel) : ContainerState{};
  if (!comes_up(cancel)) {
    return not_ready(
        fmt::format("the runner in a container did not come up; what it said (its words): {}",
                    json_string(attached == nullptr ? std::string() : attached->stderr_tail())));
  }
  if (!engine_.endpoint().is_local()) {
    measured_.evidence = configured_evidence(expected);
    return {};
  }
  if (!state) return std::unexpected(std::move(state).error());
  auto measured = measure_container(static_cast<pid_t>(state->pid), ticket_.id(), expected);
  if (!measured) return std::unexpected(std::move(measured).error());
  measured_ = *std::move(measured);
  oom_ = OomWatch(measured_.cgroup);
  return {};
}

Container::~Container() {
  kill();
  if (measured_.pidfd) ticket_.killed();
}

bool Container::lives() const noexcept {
  // poll(2) passes over a descriptor below 0: of an engine elsewhere there is only the stream.
  std::array<pollfd, 2> ends{{{.fd = measured_.pidfd.get(), .events = POLLIN, .revents = 0},
                              {.fd = stream_fd_, .events = POLLRDHUP, .revents = 0}}};
  return ::poll(ends.data(), ends.size(), 0) == 0;
}

void Container::kill() const noexcept {
  // The first process's death is that of its namespace, or of the whole sandbox.
  if (measured_.pidfd) {
    (void)::syscall(SYS_pidfd_send_signal, measured_.pidfd.get(), SIGKILL, nullptr, 0);
  }
  if (stream_fd_ >= 0) (void)::shutdown(stream_fd_, SHUT_RDWR);
}

bool Container::saw_oom_kill() {
  return engine_.endpoint().is_local() ? oom_.killed() : end().out_of_memory;
}

ContainerEnd Container::end() {
  // Before the engine has seen the end: afterwards its control group is gone, and with cgroup v2
  // the count in it.
  const bool early = oom_.killed();
  if (!engine_.wait(ticket_.id(), kEndTimeout)) {
    return {.known = false, .out_of_memory = early || oom_.killed()};
  }
  const auto state = engine_.inspect(ticket_.id());
  if (!state || state->running) {
    return {.known = false, .out_of_memory = early || oom_.killed()};
  }
  return {.known = true,
          .out_of_memory = early || oom_.killed() || state->oom_killed,
          .exit_code = state->exit_code};
}

}  // namespace plimsoll::docker
