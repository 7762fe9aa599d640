#include "providers/jailed/worker_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "broker/broker.h"
#include "broker/js_name.h"
#include "guest/frame.h"
#include "plimsoll/grant.h"
#include "plimsoll/request.h"
#include "providers/brokered_calls.h"
#include "providers/jailed/failure.h"
#include "providers/jailed/smoke_test.h"
#include "providers/jailed/worker_factory.h"
#include "providers/jailed/worker_pool.h"

namespace plimsoll::jailed {

namespace {

// What a request and a grant may hold fits into a frame, or a worker would be lost to a run that
// was accepted.
static_assert(kMaxCodeBytes <= guest::kMaxCodePayload);
static_assert(kMaxPreambleBytes <= guest::kMaxPreambleBytes);
static_assert(kMaxGlobalBytes <= guest::kMaxGlobalBytes);

constexpr std::uint64_t kFloodBytes = std::uint64_t{64} << 20;
// How many dead workers in a row are replaced before a run gives up; nothing was dispatched to
// them.
constexpr int kMaxReplacements = 3;

// How long a lone run's end is looked for before its caller's thread sleeps: a short run is over by
// then, and waking a processor would take as long again.
constexpr std::chrono::microseconds kLook{60};

// The one who looks takes a processor, and the worker needs another.
bool can_look() noexcept {
  static const bool kHasSeveral = std::thread::hardware_concurrency() > 1;
  return kHasSeveral;
}

unsigned ready_workers(const WorkerSettings& settings) {
  return settings.pool != 0 ? settings.pool : std::max(1U, std::thread::hardware_concurrency());
}

// The engine's traps (engine/guest_thread.h), by number.
std::string_view trap_name(std::uint8_t trap) noexcept {
  constexpr std::string_view kNames[] = {"none",
                                         "out of bounds memory access",
                                         "arithmetic trap",
                                         "the engine aborted",
                                         "indirect call of the wrong type",
                                         "native stack exhausted"};
  return trap < std::size(kNames) ? kNames[trap] : "unknown trap";
}

std::string_view reason_name(guest::FaultReason reason) noexcept {
  constexpr std::string_view kNames[] = {"unknown",
                                         "an exception",
                                         "an internal error of KVM",
                                         "an instruction that KVM cannot emulate",
                                         "a state that the processor refuses",
                                         "KVM refused to run it",
                                         "a halt",
                                         "memory that it has not",
                                         "a forbidden port",
                                         "a bug of the guest image",
                                         "a broken mailbox",
                                         "an unknown exit"};
  const auto index = static_cast<std::size_t>(reason);
  return index < std::size(kNames) ? kNames[index] : kNames[0];
}

// How a virtual machine failed. Numbers only: they are the guest's, and no text of its own.
std::string describe(const guest::Fault& fault, std::uint8_t trap) {
  return fmt::format("{}: the machine ended by {} (detail {:#x}, rip {:#x}, cr2 {:#x})",
                     trap_name(trap), reason_name(fault.reason), fault.detail, fault.rip,
                     fault.cr2);
}

// Why a worker was not kept after a run, or did not come to one.
enum class WorkerEnd : std::uint8_t {
  kTimedOut,
  kOutOfMemory,
  kOutputFlood,
  kEngineFault,
  kBroken,
  kLost,
  kCanceled,
  kDeadBeforeRun,
  kCallsLeft,
};
constexpr std::array<std::string_view, 9> kWorkerEnds = {
    "timed_out", "out_of_memory", "output_flood",    "engine_fault", "broken",
    "lost",      "canceled",      "dead_before_run", "calls_left"};

class WorkerProvider final : public Provider {
 public:
  WorkerProvider(const WorkerProgram& program, WorkerSettings settings)
      : program_(program),
        settings_(std::move(settings)),
        factory_(program, settings_.program_path, settings_.memory_mb),
        pool_(factory_, {.pool = settings_.pool_name,
                         .ready = ready_workers(settings_),
                         .max_concurrent = settings_.max_concurrent,
                         .reuse = settings_.reuse}) {}

  [[nodiscard]] std::string_view id() const noexcept override { return settings_.id; }

  [[nodiscard]] ProviderLimits limits() const noexcept override {
    return {.max_timeout = settings_.max_timeout};
  }

  [[nodiscard]] ProviderInfo info() const override {
    // Of another file than the embedded one nothing is known.
    const std::string identity =
        settings_.program_path.empty() && !program_.sha256.empty()
            ? fmt::format("{}:sha256:{}", settings_.environment, program_.sha256)
            : std::string();
    return {.runs_javascript = true,
            .javascript_grants = true,
            .environment = identity,
            .software_identity = identity,
            .languages = {"javascript", "typescript"},
            .memory_mb = settings_.memory_mb};
  }

  [[nodiscard]] Result<void> ensure_ready() override {
    const std::lock_guard lock(ready_mutex_);
    if (ready_.load(std::memory_order_acquire)) return {};
    if (auto smoke = run_smoke_test(factory_); !smoke) return smoke;
    if (auto filled = pool_.fill(); !filled) return filled;
    note_evidence(pool_.ready_evidence());
    ready_.store(true, std::memory_order_release);
    return {};
  }

  [[nodiscard]] Result<IsolationEvidence> current_evidence() override {
    if (!ready_.load(std::memory_order_acquire)) {
      return not_ready("ensure_ready() has not succeeded; nothing runs before it has");
    }
    const std::lock_guard lock(evidence_mutex_);
    return evidence_;
  }

  [[nodiscard]] std::vector<PoolState> pools() const override {
    PoolState workers = pool_.state();
    for (std::size_t i = 0; i < kWorkerEnds.size(); ++i) {
      workers.ends.push_back({.reason = kWorkerEnds[i], .count = ends_[i].load()});
    }
    return {std::move(workers)};
  }

  [[nodiscard]] Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                    std::stop_token cancel) override {
    if (!ready_.load(std::memory_order_acquire)) {
      return not_ready("ensure_ready() has not succeeded; nothing runs before it has");
    }
    const RunRequest& request = run.request();
    auto lease = pool_.acquire(request.caller, WorkerPool::Clock::now() + run.timeout(), cancel);
    if (!lease) return std::unexpected(std::move(lease).error());
    const guest::RunHeader header{
        .timeout_us = static_cast<std::uint64_t>(std::chrono::microseconds(run.timeout()).count()),
        .output_cap = settings_.output_cap_bytes,
        .flood_bytes = std::max(kFloodBytes, std::uint64_t{settings_.output_cap_bytes}),
        .memory_bytes = std::uint64_t{settings_.memory_mb} << 20};
    for (int attempt = 0;; ++attempt) {
      // The floor once more, against the very worker that will run it.
      if (auto floor = check_floor(run.floor(), lease->worker().evidence()); !floor) {
        return std::unexpected(std::move(floor).error());
      }
      if (cancel.stop_requested()) return canceled_before_dispatch();
      RunReport report = dispatch(*lease, header, request, broker, cancel);
      if (report.status != RunStatus::kNotDispatched) {
        return conclude(*lease, run, std::move(report), cancel);
      }
      if (attempt == kMaxReplacements) {
        return not_ready("workers die as soon as they are made; nothing ran");
      }
      count(WorkerEnd::kDeadBeforeRun);
      if (auto fresh = lease->replace_worker(); !fresh) {
        return std::unexpected(std::move(fresh).error());
      }
      note_evidence(lease->worker().evidence());
    }
  }

 private:
  void note_evidence(const IsolationEvidence& evidence) {
    const std::lock_guard lock(evidence_mutex_);
    evidence_ = evidence;
  }

  [[nodiscard]] Millis grace_of(const guest::RunHeader& header) const {
    const auto undo = program_.undo_per_mib * static_cast<std::int64_t>(header.memory_bytes >> 20);
    return WorkerProcess::kKillGrace + std::chrono::ceil<Millis>(undo);
  }

  RunReport dispatch(WorkerPool::Lease& lease, const guest::RunHeader& header,
                     const RunRequest& request, Broker* broker,
                     const std::stop_token& cancel) const {
    WorkerProcess& worker = lease.worker();
    if (broker == nullptr || !request.grant) {
      // A run that has the provider to itself takes a processor from no other run.
      const auto look = can_look() && lease.is_alone() ? kLook : std::chrono::microseconds(0);
      return worker.run(header, {.code = request.code, .look = look}, cancel, grace_of(header));
    }
    BrokeredCalls calls(*broker);
    const GrantConfig& grant = request.grant->config();
    return worker.run(
        header,
        {.code = request.code, .global = grant.global, .preamble = grant.preamble, .calls = &calls},
        cancel, grace_of(header));
  }

  Result<Outcome> conclude(WorkerPool::Lease& lease, const ClearedRun& run, RunReport report,
                           const std::stop_token& cancel) {
    // A result whose boundary could not be measured is none, whoever ended the run.
    if (lease.worker().doubt() &&
        (report.status == RunStatus::kDone || report.status == RunStatus::kStopped)) {
      count(WorkerEnd::kBroken);
      Error doubt = *lease.worker().doubt();
      (void)factory_.bury(lease.take_worker());
      return std::unexpected(std::move(doubt));
    }
    Outcome outcome;
    outcome.stdout_bytes = std::move(report.stdout_bytes);
    outcome.stderr_bytes = std::move(report.stderr_bytes);
    outcome.duration = report.duration;
    outcome.provider = id();
    outcome.evidence = lease.worker().evidence();
    switch (report.status) {
      case RunStatus::kDone:
        fill_in(outcome, report);
        if (worker_is_sound(report)) {
          lease.keep_worker(run.request().caller);
        } else {
          count(end_of(report));
        }
        return outcome;
      case RunStatus::kStopped:
        count(WorkerEnd::kTimedOut);
        timed_out(outcome, "stopped from outside: the worker was killed");
        return outcome;
      case RunStatus::kBroken:
        count(WorkerEnd::kBroken);
        (void)factory_.bury(lease.take_worker());
        return lost(
            "the worker broke the protocol during the run and was killed; the code may have run, "
            "in part or whole");
      case RunStatus::kLost:
      case RunStatus::kNotDispatched:
        break;
    }
    if (cancel.stop_requested()) {
      count(WorkerEnd::kCanceled);
      (void)factory_.bury(lease.take_worker());
      return std::unexpected(
          Error{.code = ErrorCode::kCanceled,
                .message =
                    "canceled while it ran: the worker was killed; the code may have run in part"});
    }
    count(WorkerEnd::kLost);
    return lost(fmt::format(
        "the worker was lost during the run ({}); the code may have run, in part or whole",
        factory_.bury(lease.take_worker())));
  }

  // After a hard stop or a trap the engine's state is in doubt; the reset would mend it, but a new
  // process is certain. One with answers due would find them in its next run.
  static bool worker_is_sound(const RunReport& report) noexcept {
    return report.done.cause == guest::DoneCause::kExited && !report.calls_left;
  }

  void count(WorkerEnd end) noexcept { ++ends_[static_cast<std::size_t>(end)]; }

  static WorkerEnd end_of(const RunReport& report) noexcept {
    switch (report.done.cause) {
      case guest::DoneCause::kTimedOut:
        return WorkerEnd::kTimedOut;
      case guest::DoneCause::kOutOfMemory:
        return WorkerEnd::kOutOfMemory;
      case guest::DoneCause::kOutputFlood:
        return WorkerEnd::kOutputFlood;
      case guest::DoneCause::kEngineFault:
      case guest::DoneCause::kSignaled:  // no worker of ours says so
        return WorkerEnd::kEngineFault;
      case guest::DoneCause::kExited:
        break;
    }
    return WorkerEnd::kCallsLeft;
  }

  static void timed_out(Outcome& outcome, std::string detail) {
    outcome.timed_out = true;
    outcome.exit_code = kExitTimedOut;
    outcome.termination = {.cause = TerminationCause::kTimedOut, .detail = std::move(detail)};
  }

  void fill_in(Outcome& outcome, const RunReport& report) const {
    const guest::Done& done = report.done;
    outcome.stdout_truncated = done.stdout_truncated;
    outcome.stderr_truncated = done.stderr_truncated;
    switch (done.cause) {
      case guest::DoneCause::kExited:
        outcome.exit_code = done.exit_code;
        outcome.termination = {.cause = TerminationCause::kExited, .detail = {}};
        break;
      case guest::DoneCause::kTimedOut:
        timed_out(outcome, "stopped at its deadline");
        break;
      case guest::DoneCause::kOutOfMemory:
        outcome.exit_code = kExitOutOfMemory;
        outcome.termination = {
            .cause = TerminationCause::kOutOfMemory,
            .detail = fmt::format("beyond the limit of {} MiB", settings_.memory_mb)};
        break;
      case guest::DoneCause::kOutputFlood:
        outcome.exit_code = kExitOutputFlood;
        outcome.stdout_truncated = outcome.stderr_truncated = true;
        outcome.termination = {
            .cause = TerminationCause::kOutputFlood,
            .detail = fmt::format("more than {} MiB written", kFloodBytes >> 20)};
        break;
      case guest::DoneCause::kEngineFault:
      case guest::DoneCause::kSignaled:
        outcome.exit_code = kExitEngineFault;
        outcome.termination = {.cause = TerminationCause::kEngineFault,
                               .detail = report.fault ? describe(*report.fault, done.trap)
                                                      : std::string(trap_name(done.trap))};
        break;
    }
  }

  const WorkerProgram& program_;
  const WorkerSettings settings_;
  WorkerFactory factory_;
  WorkerPool pool_;
  std::array<std::atomic<std::uint64_t>, kWorkerEnds.size()> ends_{};
  std::mutex ready_mutex_;
  std::atomic<bool> ready_ = false;
  std::mutex evidence_mutex_;
  IsolationEvidence evidence_;
};

}  // namespace

std::unique_ptr<Provider> make_worker_provider(const WorkerProgram& program,
                                               WorkerSettings settings) {
  return std::make_unique<WorkerProvider>(program, std::move(settings));
}

}  // namespace plimsoll::jailed
