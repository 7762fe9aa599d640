#include "providers/jailed/smoke_test.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <string_view>

#include "providers/jailed/failure.h"

namespace plimsoll::jailed {

namespace {

// The numbers are small so that readiness costs milliseconds; what is tested is that a limit holds.
constexpr std::uint64_t kTimeoutUs = 250;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{10} << 20;
constexpr std::uint64_t kOutputCap = 4'096;
constexpr std::uint64_t kFloodBytes = 65'536;
constexpr std::uint64_t kPatientUs = 2'000'000;
// worker/probe.h: Forbidden::kSocket.
constexpr std::uint8_t kForbiddenSocket = 2;

// On a loaded machine a worker may get the processor late. What is tested is that it ends by
// itself.
constexpr std::chrono::seconds kPatience{5};

struct Attack {
  std::string_view name;
  std::string_view code;
  std::uint64_t timeout_us;
  guest::DoneCause expected;
};

constexpr Attack kAttacks[] = {
    {"allocation bomb", "const a=[];for(;;)a.push(new Uint8Array(1<<20).fill(1))", kPatientUs,
     guest::DoneCause::kOutOfMemory},
    {"endless loop", "globalThis.trace = 1; for(;;);", kTimeoutUs, guest::DoneCause::kTimedOut},
    {"output flood", "globalThis.trace = 1; for(;;)console.log('x'.repeat(1000))", kPatientUs,
     guest::DoneCause::kOutputFlood},
};

std::string_view name_of(RunStatus status) noexcept {
  switch (status) {
    case RunStatus::kDone:
      return "an end of another kind";
    case RunStatus::kNotDispatched:
      return "a dead worker";
    case RunStatus::kStopped:
      return "no end at all";
    case RunStatus::kLost:
      return "the death of the worker";
    case RunStatus::kBroken:
      return "a broken protocol";
  }
  return "nothing known";
}

RunReport run(WorkerProcess& worker, std::string_view code, std::uint64_t timeout_us) {
  return worker.run({.timeout_us = timeout_us,
                     .output_cap = kOutputCap,
                     .flood_bytes = kFloodBytes,
                     .memory_bytes = kMemoryBytes},
                    {.code = code}, {}, kPatience);
}

std::unexpected<Error> amiss(std::string_view attack, std::string_view instead) {
  return not_ready(
      fmt::format("the smoke test failed: {}: instead of holding, there was {}", attack, instead));
}

}  // namespace

Result<void> run_smoke_test(WorkerFactory& factory) {
  auto worker = factory.make();
  if (!worker) return std::unexpected(std::move(worker).error());
  for (const Attack& attack : kAttacks) {
    const RunReport report = run(*worker, attack.code, attack.timeout_us);
    if (report.status != RunStatus::kDone || report.done.cause != attack.expected) {
      return amiss(attack.name, name_of(report.status));
    }
  }
  const RunReport after = run(*worker, "console.log(globalThis.trace ?? 6*7)", kPatientUs);
  if (after.status != RunStatus::kDone || after.stdout_bytes != "42\n") {
    return amiss("reset after an attack", name_of(after.status));
  }
  if (const auto survived = worker->probe(kForbiddenSocket)) {
    return amiss("forbidden system call", *survived == 1 ? "success" : "an ordinary error");
  }
  const std::string death = factory.bury(std::move(*worker));
  if (!death.starts_with(fmt::format("signal {} ", SIGSYS))) {
    return amiss("forbidden system call", death);
  }
  return {};
}

}  // namespace plimsoll::jailed
