#include "providers/docker/smoke_test.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/unique_fd.h"
#include "guest/host_calls.h"
#include "providers/docker/conclusion.h"
#include "providers/docker/container.h"
#include "providers/docker/failure.h"
#include "providers/docker/smoke_probe.h"

namespace plimsoll::docker {

namespace {

using guest::RunReport;
using guest::RunStatus;
using Clock = guest::GuestChannel::Clock;

constexpr std::chrono::milliseconds kPatient{30'000};
constexpr std::chrono::milliseconds kShort{300};
constexpr std::uint64_t kOutputCap = 16'384;

// Answers every call with the number that the probe waits for.
class ProbeCalls final : public guest::HostCalls {
 public:
  ProbeCalls() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  void begin(const guest::HostCall& call) override {
    answers_.push_back({.id = call.id,
                        .status = 200,
                        .content_type = "application/json",
                        .body = call.target == kProbeTarget ? "42" : "0"});
    constexpr std::uint64_t kOne = 1;
    (void)!::write(event_.get(), &kOne, sizeof kOne);
  }
  [[nodiscard]] int ready_fd() const noexcept override { return event_.get(); }
  [[nodiscard]] std::optional<guest::HostAnswer> next_answer() override {
    if (answers_.empty()) {
      std::uint64_t count = 0;
      (void)!::read(event_.get(), &count, sizeof count);
      return std::nullopt;
    }
    guest::HostAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

 private:
  UniqueFd event_;
  std::deque<guest::HostAnswer> answers_;
};

std::string_view name_of(RunStatus status) noexcept {
  switch (status) {
    case RunStatus::kDone:
      return "an end of another kind";
    case RunStatus::kNotDispatched:
      return "a dead container";
    case RunStatus::kStopped:
      return "no end at all";
    case RunStatus::kLost:
      return "the death of the container";
    case RunStatus::kBroken:
      return "a broken protocol";
  }
  return "nothing known";
}

class SmokeTest {
 public:
  SmokeTest(EngineApi& engine, ContainerYard& yard, const ContainerSpec& spec,
            const Expected& expected)
      : engine_(engine), yard_(yard), spec_(spec), expected_(expected) {}

  Result<IsolationEvidence> run() {
    auto evidence = look_around();
    if (!evidence) return evidence;
    if (auto held = exhaust_memory(); !held) return std::unexpected(held.error());
    if (auto held = outlive_deadline(); !held) return std::unexpected(held.error());
    return evidence;
  }

 private:
  Result<std::unique_ptr<Container>> container() {
    return Container::start(engine_, yard_, spec_, expected_);
  }

  RunReport attack(Container& container, std::string_view code, std::chrono::milliseconds timeout,
                   guest::HostCalls* calls = nullptr) const {
    const guest::RunHeader header{
        .timeout_us = static_cast<std::uint64_t>(std::chrono::microseconds(timeout).count()),
        .output_cap = kOutputCap,
        .flood_bytes = kFloodBytes,
        .memory_bytes = std::uint64_t{spec_.limits.memory_mb} << 20};
    return container.channel().run(
        header, {.code = code, .global = calls == nullptr ? "" : kProbeGlobal, .calls = calls},
        Clock::now() + timeout + kPatient);
  }

  std::unexpected<Error> amiss(std::string_view wall, std::string_view instead) const {
    return not_ready(
        fmt::format("the smoke test of image {} failed: {}: {}", spec_.image_id, wall, instead));
  }

  Result<IsolationEvidence> look_around() {
    auto box = container();
    if (!box) return std::unexpected(std::move(box).error());
    ProbeCalls calls;
    const RunReport report = attack(**box, probe_code(spec_), kPatient, &calls);
    if (report.status != RunStatus::kDone) return amiss("a look around", name_of(report.status));
    if (report.stdout_bytes == kProbeSound) return (*box)->evidence();
    // The probe's own words, from a container in which nobody else's code ran.
    const std::string& words =
        report.stdout_bytes.empty() ? report.stderr_bytes : report.stdout_bytes;
    return amiss("a look around", json_string(std::string_view(words).substr(0, 600)));
  }

  Result<void> exhaust_memory() {
    auto box = container();
    if (!box) return std::unexpected(std::move(box).error());
    const std::string code = fmt::format(
        "const kept = []; for (let mb = 0; mb < {}; mb += 8) kept.push(Buffer.alloc(8 << 20, 1));",
        2 * spec_.limits.memory_mb);
    const RunReport report = attack(**box, code, kPatient);
    if (report.status == RunStatus::kDone) {
      const MemoryWord memory{.oom_kill = (*box)->saw_oom_kill(),
                              .limit_mb = spec_.limits.memory_mb};
      const ProcessEnd end =
          end_of(report.done.cause, report.done.exit_code, report.done.trap, memory);
      if (end.termination.cause == TerminationCause::kOutOfMemory) return {};
      return amiss("twice the memory",
                   fmt::format("it ended as {} with exit code {}", to_string(end.termination.cause),
                               end.exit_code));
    }
    if (report.status == RunStatus::kLost && (*box)->end().out_of_memory) return {};
    return amiss("twice the memory", name_of(report.status));
  }

  Result<void> outlive_deadline() {
    auto box = container();
    if (!box) return std::unexpected(std::move(box).error());
    const RunReport report = attack(**box, "for (;;);", kShort);
    if (report.status != RunStatus::kDone || report.done.cause != guest::DoneCause::kTimedOut) {
      return amiss("an endless loop", name_of(report.status));
    }
    (*box)->kill();
    if (!engine_.endpoint().is_local()) return {};
    if ((*box)->end().known) return {};
    return amiss("an endless loop", "the container outlives being killed");
  }

  EngineApi& engine_;
  ContainerYard& yard_;
  const ContainerSpec& spec_;
  const Expected& expected_;
};

}  // namespace

Result<IsolationEvidence> run_smoke_test(EngineApi& engine, ContainerYard& yard,
                                         const Preflight& flight) {
  auto evidence = SmokeTest(engine, yard, flight.snippet, flight.expected).run();
  if (!evidence || !flight.project || flight.project->image_id == flight.snippet.image_id) {
    return evidence;
  }
  auto of_projects = SmokeTest(engine, yard, *flight.project, flight.expected).run();
  if (!of_projects) return of_projects;
  // What is told is the weaker of the two.
  return of_projects->tier < evidence->tier ? of_projects : evidence;
}

}  // namespace plimsoll::docker
