#include "providers/docker/docker_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/entropy.h"
#include "core/wire_limits.h"
#include "providers/brokered_calls.h"
#include "providers/docker/conclusion.h"
#include "providers/docker/container.h"
#include "providers/docker/container_pool.h"
#include "providers/docker/container_yard.h"
#include "providers/docker/endpoint.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/failure.h"
#include "providers/docker/preflight.h"
#include "providers/docker/project_conclusion.h"
#include "providers/docker/smoke_test.h"

namespace plimsoll {

namespace {

using docker::Container;
using docker::ContainerEnd;
using docker::ContainerPool;
using guest::RunReport;
using guest::RunStatus;

// How much later than the runner's own deadline the host kills: the runner stops what it started
// and reports in a few milliseconds, if it can.
constexpr std::chrono::milliseconds kKillGrace{45};
// How many dead containers in a row are replaced before a run gives up; nothing was dispatched to
// them.
constexpr int kMaxReplacements = 3;

// Everything that stands once the engine was found sound.
struct Ground {
  Ground(docker::EngineApi& engine, docker::Instance self) : yard(engine, std::move(self)) {}
  docker::Preflight flight;
  docker::ContainerYard yard;
  std::optional<ContainerPool> pool;
};

class DockerProvider final : public Provider {
 public:
  DockerProvider(DockerConfig config, docker::Endpoint endpoint)
      : config_(std::move(config)), engine_(std::move(endpoint)) {}

  [[nodiscard]] std::string_view id() const noexcept override { return "docker"; }

  [[nodiscard]] ProviderLimits limits() const noexcept override {
    return {.max_timeout = kMaxSnippetTimeout,
            .max_project_timeout = config_.project_image.empty() ? Millis{0} : kMaxProjectTimeout};
  }

  [[nodiscard]] ProviderInfo info() const override;
  [[nodiscard]] Result<void> ensure_ready() override;
  [[nodiscard]] Result<IsolationEvidence> current_evidence() override;
  [[nodiscard]] std::vector<PoolState> pools() const override;
  [[nodiscard]] Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                    std::stop_token cancel) override;
  [[nodiscard]] Result<ProjectAnswer> run_project(const ClearedRun& run, Broker* broker,
                                                  std::stop_token cancel) override;

 private:
  using Take =
      Result<std::unique_ptr<Container>> (DockerProvider::*)(const std::stop_token& cancel);
  [[nodiscard]] Result<std::unique_ptr<Container>> take_project_container(
      const std::stop_token& cancel);
  // A container that meets the run's floor.
  [[nodiscard]] Result<std::unique_ptr<Container>> cleared_container(const ClearedRun& run,
                                                                     Take take,
                                                                     const std::stop_token& cancel);
  [[nodiscard]] Result<std::unique_ptr<Container>> make_container(Ground& ground,
                                                                  const docker::ContainerSpec& spec,
                                                                  const std::stop_token& cancel);
  [[nodiscard]] Result<std::unique_ptr<Container>> take_container(const std::stop_token& cancel);
  [[nodiscard]] RunReport dispatch(Container& container, const ClearedRun& run, Broker* broker,
                                   const std::stop_token& cancel) const;
  [[nodiscard]] Result<Outcome> conclude(Container& container, RunReport report,
                                         bool canceled) const;
  [[nodiscard]] std::unexpected<Error> broken_off(Container& container, RunStatus status,
                                                  bool canceled) const;
  void note_evidence(const IsolationEvidence& evidence);

  const DockerConfig config_;
  docker::EngineApi engine_;
  std::mutex ready_mutex_;
  std::atomic<bool> ready_ = false;
  std::mutex evidence_mutex_;
  IsolationEvidence evidence_;
  // Set once, before ready_. Last: its threads use all of the above.
  std::unique_ptr<Ground> ground_;
};

std::unexpected<Error> unready() {
  return docker::not_ready("ensure_ready() has not succeeded; nothing runs before it has");
}

ProviderInfo DockerProvider::info() const {
  ProviderInfo info{.runs_javascript = true,
                    .runs_projects = !config_.project_image.empty(),
                    .javascript_grants = true,
                    .project_grants = !config_.project_image.empty(),
                    .languages = {"javascript", "typescript"},
                    .memory_mb = config_.memory_mb,
                    .cpus = config_.cpus,
                    .pids = config_.pids,
                    .disk_mb = config_.disk_mb};
  if (!ready_.load(std::memory_order_acquire)) return info;
  const docker::Preflight& flight = ground_->flight;
  info.environment = fmt::format("docker-image:{}", flight.snippet.image_id);
  info.software_identity = info.environment;
  if (flight.project) {
    info.project_environment = fmt::format("docker-image:{}", flight.project->image_id);
    info.project_software_identity = info.project_environment;
  }
  return info;
}

Result<void> DockerProvider::ensure_ready() {
  const std::lock_guard lock(ready_mutex_);
  if (ready_.load(std::memory_order_acquire)) return {};
  SystemEntropy entropy;
  auto self = docker::this_instance(entropy);
  if (!self) return docker::not_ready(self.error().message);
  auto ground = std::make_unique<Ground>(engine_, *std::move(self));
  auto flight = docker::run_preflight(engine_, config_);
  if (!flight) return std::unexpected(std::move(flight).error());
  ground->flight = *std::move(flight);
  if (auto swept = ground->yard.sweep(); !swept) return swept;
  if (auto started = ground->yard.start(); !started) return started;
  ground_ = std::move(ground);
  auto evidence = docker::run_smoke_test(engine_, ground_->yard, ground_->flight);
  if (!evidence) {
    ground_.reset();
    return std::unexpected(std::move(evidence).error());
  }
  note_evidence(*evidence);
  ground_->pool.emplace(
      [this, at = ground_.get()](const std::stop_token& stop) {
        return make_container(*at, at->flight.snippet, stop);
      },
      docker::PoolOptions{.ready = config_.pool, .max_concurrent = config_.max_concurrent});
  if (auto filled = ground_->pool->fill(); !filled) {
    ground_.reset();
    return filled;
  }
  ready_.store(true, std::memory_order_release);
  return {};
}

Result<IsolationEvidence> DockerProvider::current_evidence() {
  if (!ready_.load(std::memory_order_acquire)) return unready();
  const std::lock_guard lock(evidence_mutex_);
  return evidence_;
}

void DockerProvider::note_evidence(const IsolationEvidence& evidence) {
  const std::lock_guard lock(evidence_mutex_);
  evidence_ = evidence;
}

std::vector<PoolState> DockerProvider::pools() const {
  if (!ready_.load(std::memory_order_acquire)) return {};
  return {ground_->pool->state()};
}

Result<std::unique_ptr<Container>> DockerProvider::make_container(Ground& ground,
                                                                  const docker::ContainerSpec& spec,
                                                                  const std::stop_token& cancel) {
  auto container = Container::start(engine_, ground.yard, spec, ground.flight.expected, cancel);
  if (container) note_evidence((*container)->evidence());
  return container;
}

Result<std::unique_ptr<Container>> DockerProvider::take_container(const std::stop_token& cancel) {
  if (auto ready = ground_->pool->take_ready()) return ready;
  return make_container(*ground_, ground_->flight.snippet, cancel);
}

Result<std::unique_ptr<Container>> DockerProvider::take_project_container(
    const std::stop_token& cancel) {
  return make_container(*ground_, *ground_->flight.project, cancel);
}

Result<std::unique_ptr<Container>> DockerProvider::cleared_container(
    const ClearedRun& run, Take take, const std::stop_token& cancel) {
  auto container = (this->*take)(cancel);
  if (!container) return container;
  // The floor once more, against the very container that will run it.
  if (auto floor = check_floor(run.floor(), (*container)->evidence()); !floor) {
    return std::unexpected(std::move(floor).error());
  }
  return container;
}

Result<Outcome> DockerProvider::run(const ClearedRun& run, Broker* broker, std::stop_token cancel) {
  if (!ready_.load(std::memory_order_acquire)) return unready();
  const auto lease = ground_->pool->acquire(ContainerPool::Clock::now() + run.timeout(), cancel);
  if (!lease) return std::unexpected(lease.error());
  for (int attempt = 0;; ++attempt) {
    auto container = cleared_container(run, &DockerProvider::take_container, cancel);
    if (!container) return std::unexpected(std::move(container).error());
    RunReport report = dispatch(**container, run, broker, cancel);
    // Not a caller that leaves while it is found out how the container ended.
    const bool canceled = cancel.stop_requested();
    if (report.status != RunStatus::kNotDispatched) {
      return conclude(**container, std::move(report), canceled);
    }
    if (canceled) return docker::canceled_before_dispatch();
    if (attempt == kMaxReplacements) {
      return docker::not_ready("containers die as soon as they are made; nothing ran");
    }
  }
}

RunReport DockerProvider::dispatch(Container& container, const ClearedRun& run, Broker* broker,
                                   const std::stop_token& cancel) const {
  const RunRequest& request = run.request();
  const guest::RunHeader header{
      .timeout_us = static_cast<std::uint64_t>(std::chrono::microseconds(run.timeout()).count()),
      .output_cap = config_.output_cap_bytes,
      .flood_bytes = std::max(docker::kFloodBytes, std::uint64_t{config_.output_cap_bytes}),
      .memory_bytes = std::uint64_t{config_.memory_mb} << 20};
  const auto until = guest::GuestChannel::Clock::now() + run.timeout() + kKillGrace;
  const std::stop_callback kill_it(cancel, [&container] { container.kill(); });
  if (broker == nullptr || !request.grant) {
    return container.channel().run(header, {.code = request.code}, until);
  }
  BrokeredCalls calls(*broker);
  const GrantConfig& grant = request.grant->config();
  return container.channel().run(
      header,
      {.code = request.code, .global = grant.global, .preamble = grant.preamble, .calls = &calls},
      until);
}

std::unexpected<Error> DockerProvider::broken_off(Container& container, RunStatus status,
                                                  bool canceled) const {
  container.kill();
  if (canceled) {
    return std::unexpected(Error{
        .code = ErrorCode::kCanceled,
        .message =
            "canceled while it ran: the container was killed; the code may have run in part"});
  }
  return docker::lost(fmt::format(
      "the container {} during the run and was killed; the code may have run, in part or whole",
      status == RunStatus::kBroken ? "broke the protocol" : "was lost"));
}

Result<Outcome> DockerProvider::conclude(Container& container, RunReport report,
                                         bool canceled) const {
  docker::MemoryWord memory{.limit_mb = config_.memory_mb};
  docker::ProcessEnd end;
  switch (report.status) {
    case RunStatus::kDone:
      memory.oom_kill =
          docker::may_be_oom_kill(report.done.cause, report.done.exit_code, report.done.trap) &&
          container.saw_oom_kill();
      end = docker::end_of(report.done.cause, report.done.exit_code, report.done.trap, memory);
      break;
    case RunStatus::kStopped:
      container.kill();
      end = docker::stopped_from_outside();
      break;
    case RunStatus::kBroken:
      return broken_off(container, report.status, canceled);
    case RunStatus::kLost:
    case RunStatus::kNotDispatched: {
      if (canceled) return broken_off(container, report.status, canceled);
      const ContainerEnd ended = container.end();
      if (!ended.out_of_memory) return broken_off(container, report.status, canceled);
      end = docker::out_of_memory(memory);
      break;
    }
  }
  Outcome outcome;
  outcome.stdout_bytes = std::move(report.stdout_bytes);
  outcome.stderr_bytes = std::move(report.stderr_bytes);
  outcome.stdout_truncated = report.done.stdout_truncated || end.flooded;
  outcome.stderr_truncated = report.done.stderr_truncated || end.flooded;
  outcome.exit_code = end.exit_code;
  outcome.timed_out = end.timed_out;
  outcome.termination = std::move(end.termination);
  outcome.duration = report.duration;
  outcome.provider = id();
  outcome.evidence = container.evidence();
  return outcome;
}

Result<ProjectAnswer> DockerProvider::run_project(const ClearedRun& run, Broker* broker,
                                                  std::stop_token cancel) {
  if (!ready_.load(std::memory_order_acquire)) return unready();
  if (!ground_->flight.project || run.project() == nullptr) {
    return Provider::run_project(run, broker, std::move(cancel));
  }
  const auto lease = ground_->pool->acquire(ContainerPool::Clock::now() + run.timeout(), cancel);
  if (!lease) return std::unexpected(lease.error());
  auto container = cleared_container(run, &DockerProvider::take_project_container, cancel);
  if (!container) return std::unexpected(std::move(container).error());

  const ProjectRun& project = *run.project();
  const docker::ProjectSettings settings{.timeout = run.timeout(),
                                         .output_cap_bytes = config_.output_cap_bytes,
                                         .memory_mb = config_.memory_mb};
  guest::ProjectRunFrame frame = docker::frame_of(project, settings);
  std::optional<BrokeredCalls> calls;
  if (broker != nullptr && run.request().grant) {
    const GrantConfig& grant = run.request().grant->config();
    frame.global = grant.global;
    frame.preamble = grant.preamble;
    calls.emplace(*broker);
  }
  guest::ProjectCollector collected(docker::bounds_of(project, settings));
  guest::ProjectReport report;
  {
    const std::stop_callback kill_it(cancel, [&container] { (*container)->kill(); });
    report = (*container)
                 ->channel()
                 .run_project(frame, calls ? &*calls : nullptr, collected,
                              guest::GuestChannel::Clock::now() + run.timeout() + kKillGrace);
  }
  const bool canceled = cancel.stop_requested();
  if (report.status == RunStatus::kNotDispatched) {
    if (canceled) return docker::canceled_before_dispatch();
    return docker::not_ready("the container died before its project came; nothing ran");
  }
  if (canceled) return broken_off(**container, report.status, canceled);
  docker::MemoryWord memory{.limit_mb = config_.memory_mb};
  if (report.status == RunStatus::kLost) {
    memory.oom_kill = (*container)->end().out_of_memory;
  } else if (docker::may_be_oom_kill(report.status, collected)) {
    memory.oom_kill = (*container)->saw_oom_kill();
  }
  (*container)->kill();
  return ProjectAnswer{.result = docker::result_of(project, report.status, collected, memory),
                       .duration = report.duration,
                       .provider = std::string(id()),
                       .evidence = (*container)->evidence()};
}

}  // namespace

std::unique_ptr<Provider> make_docker_provider(const DockerConfig& config) {
  auto endpoint = docker::parse_endpoint(config.host, config.certs);
  return std::make_unique<DockerProvider>(config, endpoint.value_or(docker::Endpoint{}));
}

}  // namespace plimsoll
