// What hostile snippets do to a container, and what must not come of it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "engine_fixture.h"
#include "providers/proc_files.h"

namespace plimsoll::docker {
namespace {

class Snippets : public EngineFixture {};

INSTANTIATE_TEST_SUITE_P(Runtimes, Snippets, ::testing::Values("runc", "runsc"), runtime_name);

TEST_P(Snippets, AFastProcesssOutputIsNeverLost) {
  DockerConfig pooled = config();
  pooled.pool = 2;
  const auto provider = ready(pooled);
  for (int round = 0; round < number_from("PLIMSOLL_ROUNDS", 30); ++round) {
    const std::string word = "round " + std::to_string(round);
    const Outcome outcome = run(*provider, "process.stdout.write('" + word + "')");
    ASSERT_EQ(outcome.stdout_bytes, word);
    ASSERT_EQ(outcome.evidence.tier, tier());
  }
}

TEST_P(Snippets, BytesThatAreNoUtf8SurviveChunkEdges) {
  DockerConfig wide = config();
  wide.output_cap_bytes = 300'000;
  const auto provider = ready(wide);
  const Outcome outcome = run(*provider, R"(
    const unit = Buffer.from([0xf0, 0x9f, 0x99, 0x82, 0xff, 0x00, 0xc3]);
    process.stdout.write(Buffer.concat(Array(40_000).fill(unit)));)");
  std::string expected;
  for (int i = 0; i < 40'000; ++i) expected += std::string("\xf0\x9f\x99\x82\xff\x00\xc3", 7);
  EXPECT_TRUE(outcome.stdout_bytes == expected) << outcome.stdout_bytes.size();
  EXPECT_FALSE(outcome.stdout_truncated);
}

TEST_P(Snippets, WhatASnippetLeavesRunningDoesNotHoldItsAnswer) {
  const auto provider = ready(config());
  for (const char* command : {"(sleep 600 &); echo ok", "(setsid sleep 600 &); echo ok"}) {
    const Outcome outcome = run(
        *provider, std::string("const { spawnSync } = require('node:child_process');") +
                       "console.log(spawnSync('sh', ['-c', '" + command +
                       "'], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 }).stdout + '')");
    EXPECT_LT(outcome.duration, std::chrono::seconds(25)) << command;
    EXPECT_TRUE(outcome.stdout_bytes.starts_with("ok")) << outcome.stderr_bytes;
  }
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
}

TEST_P(Snippets, AForkBombEndsAndTheNextRunIsFine) {
  const auto provider = ready(config());
  const auto outcome =
      try_run(*provider, {.code = "const { spawn } = require('node:child_process');"
                                  "process.on('uncaughtException', () => {});"
                                  "for (;;) spawn('sleep', ['99']).on('error', () => {});",
                          .timeout = Millis{4'000}});
  if (outcome) {
    EXPECT_NE(outcome->exit_code, 0);
  }
  EXPECT_EQ(run(*provider, "console.log(6 * 7)").stdout_bytes, "42\n");
}

TEST_P(Snippets, TwiceTheMemoryIsOutOfMemory) {
  const auto provider = ready(config());
  const Outcome outcome =
      run(*provider,
          "const kept = []; for (let i = 0; i < 64; i++) kept.push(Buffer.alloc(8 << 20, 1));");
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kOutOfMemory) << outcome.exit_code;
  EXPECT_EQ(outcome.exit_code, kExitOutOfMemory);
  EXPECT_EQ(run(*provider, "console.log(6 * 7)").stdout_bytes, "42\n");
}

TEST_P(Snippets, ASignalIsToldByItsNumber) {
  const auto provider = ready(config());
  for (const auto& [name, number] : {std::pair("SIGSEGV", 11), std::pair("SIGTERM", 15)}) {
    const Outcome outcome =
        run(*provider, std::string("process.kill(process.pid, '") + name + "'); for (;;);");
    EXPECT_EQ(outcome.termination.cause, TerminationCause::kSignaled) << name;
    EXPECT_EQ(outcome.exit_code, 128 + number);
  }
}

TEST_P(Snippets, TheHostsEnvironmentIsNotVisible) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads it.
  ASSERT_EQ(::setenv("PLIMSOLL_TEST_SECRET", "swordfish", 1), 0);
  const auto provider = ready(config());
  const Outcome outcome = run(*provider, "console.log(JSON.stringify(process.env))");
  for (const char* word : {"swordfish", "PLIMSOLL", "DOCKER", "SANDBOX"}) {
    EXPECT_EQ(outcome.stdout_bytes.find(word), std::string::npos) << outcome.stdout_bytes;
  }
}

TEST_P(Snippets, StoppingEverythingDoesNotOutliveTheDeadline) {
  const auto provider = ready(config());
  const Outcome outcome =
      run(*provider,
          "for (let pid = 1; pid < 64; pid++)"
          "  if (pid !== process.pid) try { process.kill(pid, 'SIGSTOP'); } catch {}"
          "process.kill(process.pid, 'SIGSTOP');",
          Millis{1'000});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, kExitTimedOut);
  EXPECT_LT(outcome.duration, std::chrono::seconds(20));
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
}

// The most memory that this process has had, in KiB.
std::uint64_t peak_kib() {
  const auto status = read_small_file("/proc/self/status");
  return std::stoull(status_field(status.value_or(""), "VmHWM"));
}

TEST_P(Snippets, AFloodIsCappedAndFlagged) {
  const auto provider = ready(config());
  const std::uint64_t before = peak_kib();
  const Outcome outcome = run(*provider, R"(
    const part = Buffer.alloc(1 << 20, 'x');
    for (let i = 0; i < 1024; i++) require('node:fs').writeSync(1, part);)",
                              Millis{60'000});
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kOutputFlood);
  EXPECT_EQ(outcome.exit_code, kExitOutputFlood);
  EXPECT_EQ(outcome.stdout_bytes.size(), config().output_cap_bytes);
  EXPECT_LT(peak_kib(), before + 8'192);
  EXPECT_TRUE(outcome.stdout_truncated);
}

TEST_P(Snippets, ACancelKillsTheContainer) {
  const auto provider = ready(config());
  // Those of the smoke test go in the background.
  ASSERT_TRUE(eventually([] { return left_behind() == 0; }));
  std::stop_source stop;
  std::jthread later([&stop] {
    // Once there is a container, and a moment for its run to begin.
    (void)eventually([] { return left_behind() > 0; });
    std::this_thread::sleep_for(milliseconds(300));
    stop.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto outcome =
      try_run(*provider, {.code = "setTimeout(() => {}, 60_000)", .timeout = Millis{60'000}},
              nullptr, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCanceled) << outcome.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40));
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
}

TEST_P(Snippets, ACancelWhileTheContainerIsMadeIsAnsweredAsOneThatNeverRan) {
  const auto provider = ready(config());
  for (const int after_ms : {0, 5, 20, 40}) {
    // On a busy machine the run may have begun by then.
    bool never_ran = false;
    for (int attempt = 0; attempt < 10 && !never_ran; ++attempt) {
      std::stop_source stop;
      const std::jthread later([&stop, after_ms] {
        std::this_thread::sleep_for(milliseconds(after_ms));
        stop.request_stop();
      });
      const auto outcome =
          try_run(*provider, {.code = "setTimeout(() => {}, 60_000)", .timeout = Millis{60'000}},
                  nullptr, stop.get_token());
      ASSERT_FALSE(outcome) << after_ms;
      EXPECT_EQ(outcome.error().code, ErrorCode::kCanceled) << outcome.error().message;
      never_ran = outcome.error().not_dispatched.has_value();
    }
    EXPECT_TRUE(never_ran) << after_ms;
  }
  EXPECT_EQ(run(*provider, "console.log(6 * 7)").stdout_bytes, "42\n");
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
}

// Kills the container with a command of the engine's as soon as the run in it has called.
class KillingBroker final : public Broker {
 public:
  void submit(std::uint64_t id, BrokerRequest request) override {
    const std::string container =
        docker({"ps", "-q", "--filter", "label=plimsoll.pid=" + std::to_string(::getpid())});
    EXPECT_EQ(container.size(), 12U) << container;
    (void)docker({"kill", container});
    echo_.submit(id, std::move(request));
  }
  [[nodiscard]] int fd() const noexcept override { return echo_.fd(); }
  [[nodiscard]] std::vector<BrokerCompletion> take() override { return echo_.take(); }
  void close() override {}
  [[nodiscard]] const CallTrace& trace() const noexcept override { return echo_.trace(); }

 private:
  EchoBroker echo_;
};

TEST_P(Snippets, AContainerThatIsKilledByOthersCostsOneRun) {
  const auto provider = ready(config());
  // Those of the smoke test go in the background.
  ASSERT_TRUE(eventually([] { return left_behind() == 0; }));
  auto grant = Grant::build({.base_url = "https://api.example.com", .allow = {"GET /v1/*"}});
  ASSERT_TRUE(grant) << grant.error().message;
  KillingBroker broker;
  const auto outcome = try_run(*provider,
                               {.code = "setTimeout(() => {}, 20_000); await host.get('/v1/a')",
                                .timeout = Millis{60'000},
                                .grant = *grant},
                               &broker);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInfrastructure) << outcome.error().message;
  EXPECT_EQ(run(*provider, "console.log(6 * 7)").stdout_bytes, "42\n");
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
}

TEST_P(Snippets, AReadyContainerServesOneRun) {
  DockerConfig pooled = config();
  pooled.pool = 1;
  const auto provider = ready(pooled);
  EXPECT_EQ(provider->pools().at(0).ready, 1U);
  for (int round = 0; round < 3; ++round) {
    const Outcome outcome = run(*provider, R"(
      const fs = require('node:fs');
      console.log(fs.existsSync('/tmp/mark')); fs.writeFileSync('/tmp/mark', 'x');)");
    EXPECT_EQ(outcome.stdout_bytes, "false\n");
  }
  EXPECT_TRUE(eventually([&] { return provider->pools().at(0).ready == 1; }));
}

}  // namespace
}  // namespace plimsoll::docker
