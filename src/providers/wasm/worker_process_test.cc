#include "providers/jailed/worker_process.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "providers/jailed/worker_factory.h"
#include "providers/wasm/worker_fixture.h"

namespace plimsoll::wasm {
namespace {

class WorkerProcessTest : public ::testing::Test {
 protected:
  WorkerProcess make() {
    auto worker = factory_.make();
    if (!worker) throw std::runtime_error(worker.error().message);
    return *std::move(worker);
  }
  WorkerFactory factory_{worker_program(), "", 64};
};

// The acts of worker/probe.h, from 1 to the first number that a worker says is none.
constexpr unsigned kLeastActs = 10;
constexpr std::uint8_t kNoSuchAct = 2;

TEST_F(WorkerProcessTest, EachForbiddenActKillsTheWorker) {
  unsigned act = 1;
  for (;; ++act) {
    WorkerProcess worker = make();
    const auto answer = worker.probe(static_cast<std::uint8_t>(act), Millis{30'000});
    if (answer == kNoSuchAct) {
      expect_42(worker);  // an answer is possible at all
      break;
    }
    EXPECT_EQ(answer, std::nullopt) << "act " << act;
    const std::string death = factory_.bury(std::move(worker));
    EXPECT_TRUE(death.starts_with("signal 31 ")) << "act " << act << ": " << death;
  }
  EXPECT_GT(act, kLeastActs);
}

TEST_F(WorkerProcessTest, AnActThatIsNoneIsAnsweredAndSurvived) {
  WorkerProcess worker = make();
  for (const unsigned act : {0U, 200U, 255U}) {
    EXPECT_EQ(worker.probe(static_cast<std::uint8_t>(act), Millis{30'000}), kNoSuchAct) << act;
  }
  expect_42(worker);
}

TEST_F(WorkerProcessTest, ARunLeavesNothingForTheNext) {
  WorkerProcess worker = make();
  for (int round = 0; round < 3; ++round) {
    const RunReport report = worker.run(
        kPatientRun,
        {.code = "console.log(typeof m, [].m); globalThis.m = 1; Array.prototype.m = 1"});
    EXPECT_EQ(report.stdout_bytes, "undefined undefined\n");
  }
}

TEST_F(WorkerProcessTest, WhatWasWrittenIsThereWhenTheWorkerIsKilledFromOutside) {
  guest::RunHeader patient = kPatientRun;
  patient.timeout_us = 60'000'000;
  for (const std::string_view waits :
       {"for (;;);", "await new Promise(() => setTimeout(() => {}, 1e6))"}) {
    WorkerProcess worker = make();
    const std::string code = "console.log('out'); console.error('err'); " + std::string(waits);
    const RunReport report =
        worker.run(patient, {.code = code}, {}, Millis{-60'000} + Millis{5'000});
    EXPECT_EQ(report.status, RunStatus::kStopped) << waits;
    EXPECT_EQ(report.stdout_bytes, "out\n") << waits;
    EXPECT_EQ(report.stderr_bytes, "err\n") << waits;
  }
}

TEST_F(WorkerProcessTest, AWorkerSurvivesEveryEndThatItReports) {
  WorkerProcess worker = make();
  guest::RunHeader run = kPatientRun;
  run.flood_bytes = 100'000;
  const std::pair<std::string_view, guest::DoneCause> kCases[] = {
      {"for (;;);", guest::DoneCause::kTimedOut},
      {"new Array(5e8).join('-')", guest::DoneCause::kTimedOut},
      {"setTimeout(() => {}, 1e6)", guest::DoneCause::kTimedOut},
      {"for (;;) console.log('x'.repeat(1000))", guest::DoneCause::kOutputFlood},
      {"const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
       guest::DoneCause::kOutOfMemory},
      {"process.exit(3)", guest::DoneCause::kExited}};
  for (const auto& [code, cause] : kCases) {
    run.timeout_us = cause == guest::DoneCause::kTimedOut ? 100'000 : 5'000'000;
    RunReport report = worker.run(run, {.code = code});
    // On a loaded machine a worker may get no processor within the host's grace.
    for (int attempt = 0; attempt < 10 && report.status == RunStatus::kStopped; ++attempt) {
      worker = make();
      report = worker.run(run, {.code = code});
    }
    EXPECT_EQ(report.status, RunStatus::kDone) << code;
    EXPECT_EQ(report.done.cause, cause) << code;
    expect_42(worker);
  }
}

TEST_F(WorkerProcessTest, ALimitBeyondTheWorkersOwnIsRefusedByIt) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 20,
                                    (std::uint64_t{64} << 20) + 65'536, ~std::uint64_t{0}}) {
    WorkerProcess worker = make();
    guest::RunHeader run = kPatientRun;
    run.memory_bytes = bytes;
    EXPECT_EQ(worker.run(run, {.code = "console.log(1)"}).status, RunStatus::kLost) << bytes;
    EXPECT_EQ(factory_.bury(std::move(worker)), "exit status 0");
  }
}

TEST_F(WorkerProcessTest, AKilledWorkerRunsNothing) {
  WorkerProcess worker = make();
  const pid_t pid = pid_of(worker);
  EXPECT_FALSE(is_gone(pid));
  worker.kill();
  worker.kill();
  EXPECT_EQ(worker.run(kPatientRun, {.code = "console.log(1)"}).status, RunStatus::kNotDispatched);
  EXPECT_TRUE(eventually([pid] { return is_gone(pid); }));
}

TEST_F(WorkerProcessTest, AWorkerThatDiedUnnoticedGotNothing) {
  WorkerProcess worker = make();
  ASSERT_EQ(::kill(pid_of(worker), SIGKILL), 0);
  ASSERT_TRUE(eventually([&] { return is_gone(pid_of(worker)); }));
  EXPECT_EQ(worker.run(kPatientRun, {.code = "console.log(1)"}).status, RunStatus::kNotDispatched);
}

TEST_F(WorkerProcessTest, AStoppedWorkerIsGivenUpInTime) {
  WorkerProcess worker = make();
  ASSERT_EQ(::kill(pid_of(worker), SIGSTOP), 0);
  guest::RunHeader run = kPatientRun;
  run.timeout_us = 50'000;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(worker.run(run, {.code = "console.log(1)"}).status, RunStatus::kStopped);
  EXPECT_GE(std::chrono::steady_clock::now() - start, Millis{50} + WorkerProcess::kKillGrace);
  EXPECT_LE(std::chrono::steady_clock::now() - start, Millis{10'000});
  const pid_t pid = pid_of(worker);
  worker.kill();
  EXPECT_TRUE(eventually([pid] { return is_gone(pid); }));
}

TEST_F(WorkerProcessTest, TheProcessLivesAsLongAsItsHandle) {
  pid_t first = 0;
  pid_t second = 0;
  {
    WorkerProcess worker = make();
    first = pid_of(worker);
    WorkerProcess moved = std::move(worker);
    expect_42(moved);
    WorkerProcess other = make();
    second = pid_of(other);
    moved = std::move(other);  // nobody else would end the first
    EXPECT_TRUE(eventually([first] { return is_gone(first); }));
    expect_42(moved);
  }
  EXPECT_TRUE(eventually([second] { return is_gone(second); }));
}

TEST_F(WorkerProcessTest, AReadyWorkerHasAtMostSixMiBOfItsOwn) {
  WorkerProcess worker = make();
  const auto private_kib = [&worker] {
    std::ifstream rollup("/proc/" + std::to_string(pid_of(worker)) + "/smaps_rollup");
    long total = 0;
    int fields = 0;
    for (std::string line; std::getline(rollup, line);) {
      if (!line.starts_with("Private_Dirty:") && !line.starts_with("Private_Hugetlb:") &&
          !line.starts_with("Swap:")) {
        continue;
      }
      total += std::stol(line.substr(line.find(':') + 1));
      ++fields;
    }
    EXPECT_EQ(fields, 3);
    return total;
  };
  constexpr long kLimitKib = 6 * 1024;
  EXPECT_LE(private_kib(), kLimitKib);
  for (int i = 0; i < 20; ++i) expect_42(worker);
  EXPECT_LE(private_kib(), kLimitKib);
  // A greedy run leaves the worker no fatter.
  const RunReport greedy = worker.run(
      kPatientRun,
      {.code = "const a = new Uint8Array(30 << 20).fill(1); const f = (n) => n ? f(n - 1) + 1 : 0;"
               "f(5000); console.log(a.length)"});
  EXPECT_EQ(greedy.stdout_bytes, "31457280\n");
  EXPECT_TRUE(eventually([&] { return private_kib() <= kLimitKib; })) << private_kib();
}

}  // namespace
}  // namespace plimsoll::wasm
