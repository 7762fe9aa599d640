// One container with a runner in it that waits for its run. Used once.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "guest/guest_channel.h"
#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/docker/container_evidence.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/container_yard.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/oom_watch.h"

namespace plimsoll::docker {

// How a container ended that ended by itself, as the engine and the kernel say.
struct ContainerEnd {
  bool known = false;  // false: the engine did not tell in time
  bool out_of_memory = false;
  int exit_code = 0;
};

// Used by one thread at a time, but for kill(). Destroying it kills and removes the container.
class Container {
 public:
  // Creates, attaches, starts, waits for the runner, and measures. `spec` comes without labels.
  // Errors: kNotReady; kCanceled, within a second or so of `cancel`, though a runtime hangs. What
  // was made is removed.
  [[nodiscard]] static Result<std::unique_ptr<Container>> start(EngineApi& engine,
                                                                ContainerYard& yard,
                                                                ContainerSpec spec,
                                                                const Expected& expected,
                                                                const std::stop_token& cancel = {});
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  [[nodiscard]] guest::GuestChannel& channel() noexcept { return *channel_; }
  [[nodiscard]] const IsolationEvidence& evidence() const noexcept { return measured_.evidence; }
  [[nodiscard]] const std::string& id() const noexcept { return ticket_.id(); }

  // Whether its first process is still there, as far as this host can see.
  [[nodiscard]] bool lives() const noexcept;

  // Ends everything in it, now, and the exchange that waits for it. Any thread; idempotent.
  void kill() const noexcept;

  // Whether the kernel killed a process in it for its memory. Of an engine elsewhere only the
  // engine can tell, once the container has ended.
  [[nodiscard]] bool saw_oom_kill();

  // Waits for its end, for a few seconds at most.
  [[nodiscard]] ContainerEnd end();

 private:
  Container(EngineApi& engine, ContainerYard::Ticket ticket) noexcept
      : engine_(engine), ticket_(std::move(ticket)) {}
  [[nodiscard]] Result<void> launch(ContainerSpec spec, const Expected& expected,
                                    const std::stop_token& cancel);
  [[nodiscard]] bool comes_up(const std::stop_token& cancel);

  EngineApi& engine_;
  ContainerYard::Ticket ticket_;
  std::optional<guest::GuestChannel> channel_;
  int stream_fd_ = -1;  // the channel's
  MeasuredContainer measured_;
  OomWatch oom_;
};

}  // namespace plimsoll::docker
