// The processes of a provider that has its own are killed, stopped and orphaned: one run is lost at
// most, the host never, and nobody waits past the deadline.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../contract/provider_fixture.h"
#include "process_tree.h"

namespace plimsoll::e2e {
namespace {

using contract::Clock;
using contract::kSlowness;
using contract::request_of;
using contract::since;

constexpr Millis kPatience{60'000};
constexpr unsigned long long kBusyTicks = 5;  // 50 ms of processor time: it is the one that runs

void send(const std::vector<Process>& processes, int signal) {
  for (const Process& process : processes) ::kill(process.pid, signal);
}

// The one that we started and, where it has a pid namespace, the one in it. A worker has the name
// of its zygote until it takes its own, but never a child.
std::vector<Process> zygotes() {
  const auto all = descendants(::getpid());
  const auto is_parent = [&all](const Process& process) {
    return std::ranges::find(all, process.pid, &Process::parent) != all.end();
  };
  auto found = all;
  std::erase_if(found, [&](const Process& process) {
    return process.name != kZygoteName || (process.parent != ::getpid() && !is_parent(process));
  });
  return found;
}

// Of each provider that starts processes of its own, and what the kernel calls them.
class WorkerLoss : public contract::ProviderFixture {
 protected:
  Sandbox ready_sandbox() const { return ready({.max_concurrent = 4}); }
  std::vector<Process> workers() const {
    return descendants(::getpid(), GetParam().id == "microvm" ? kVmmName : kWorkerName);
  }
  Process wait_for_busy_worker(const std::vector<Process>& before) const;
  void expect_42_soon(Sandbox& sandbox) const;
};

std::vector<contract::ProviderUnderTest> with_processes() {
  auto all = contract::providers_under_test();
  std::erase_if(all, [](const auto& one) { return one.id != "wasm" && one.id != "microvm"; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Providers, WorkerLoss, ::testing::ValuesIn(with_processes()),
                         contract::provider_name);

// The worker that has been computing since `before` was taken.
Process WorkerLoss::wait_for_busy_worker(const std::vector<Process>& before) const {
  const auto start = Clock::now();
  while (since(start) < kPatience) {
    for (const Process& worker : workers()) {
      const auto known = std::ranges::find(before, worker.pid, &Process::pid);
      const auto ticks = known == before.end() ? 0 : known->cpu_ticks;
      if (worker.cpu_ticks >= ticks + kBusyTicks) return worker;
    }
    std::this_thread::sleep_for(Millis{5});
  }
  throw std::runtime_error("no worker got busy");
}

// A run in the background; its result, and when it came.
struct Answer {
  Result<Outcome> outcome;
  Clock::time_point at;
};

std::future<Answer> run_in_background(Sandbox& sandbox, std::string code, Millis timeout) {
  return std::async(std::launch::async, [&sandbox, request = request_of(std::move(code), timeout)] {
    auto outcome = sandbox.run_javascript(request);
    return Answer{.outcome = std::move(outcome), .at = Clock::now()};
  });
}

void expect_42(Sandbox& sandbox) {
  const auto outcome = sandbox.run_javascript(request_of("console.log(6*7)"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->stdout_bytes, "42\n");
}

// Refusals and faults are fine for a while, silence is not; in the end it works again.
void WorkerLoss::expect_42_soon(Sandbox& sandbox) const {
  const auto start = Clock::now();
  while (since(start) < kPatience) {
    const auto asked = Clock::now();
    const auto outcome = sandbox.run_javascript(request_of("console.log(6*7)", Millis{10'000}));
    EXPECT_LE(since(asked), Millis{25'000});
    if (outcome) {
      EXPECT_EQ(outcome->stdout_bytes, "42\n");
      EXPECT_EQ(outcome->evidence.tier, GetParam().tier);
      return;
    }
    std::this_thread::sleep_for(Millis{20});
  }
  ADD_FAILURE() << "the sandbox did not recover";
}

TEST_P(WorkerLoss, TheProcessesAreFoundByName) {
  Sandbox sandbox = ready_sandbox();
  EXPECT_FALSE(zygotes().empty());  // a second one waits for it where it has a pid namespace
  expect_42(sandbox);
  EXPECT_GE(workers().size(), 1U);
}

TEST_P(WorkerLoss, AWorkerKilledMidRunLosesThatRunOnly) {
  Sandbox sandbox = ready_sandbox();
  auto bystander =
      run_in_background(sandbox, "setTimeout(() => console.log('whole'), 1000)", Millis{10'000});
  const auto before = workers();
  auto lost = run_in_background(sandbox, "for (;;);", Millis{20'000});
  const auto busy = wait_for_busy_worker(before);
  const auto killed_at = Clock::now();
  ASSERT_EQ(::kill(busy.pid, SIGKILL), 0);

  const Answer answer = lost.get();
  EXPECT_LE(answer.at - killed_at, Millis{10'000});
  ASSERT_FALSE(answer.outcome);
  EXPECT_EQ(answer.outcome.error().code, ErrorCode::kInfrastructure);
  EXPECT_FALSE(answer.outcome.error().not_dispatched.has_value());

  expect_42(sandbox);
  const Answer other = bystander.get();
  ASSERT_TRUE(other.outcome) << other.outcome.error().message;
  EXPECT_EQ(other.outcome->stdout_bytes, "whole\n");
}

TEST_P(WorkerLoss, AnIdleWorkerThatIsGoneLosesNothing) {
  Sandbox sandbox = ready_sandbox();
  for (int round = 0; round < 5; ++round) {
    expect_42(sandbox);
    const auto all = workers();
    send(all, SIGKILL);
    ASSERT_TRUE(all_gone(all, kPatience));
    expect_42(sandbox);
  }
}

TEST_P(WorkerLoss, TheZygoteKilledWhileIdle) {
  Sandbox sandbox = ready_sandbox();
  for (int round = 0; round < 3; ++round) {
    auto victims = zygotes();
    ASSERT_FALSE(victims.empty());
    if (round == 0) victims = {victims.front()};
    if (round == 1) victims = {victims.back()};
    // All die with one of them, a moment later: a run that a worker took meanwhile would be lost.
    const auto all = descendants(::getpid());
    send(victims, SIGKILL);
    ASSERT_TRUE(all_gone(all, kPatience));
    expect_42_soon(sandbox);
    // Those who need a worker that does not exist yet get one, too.
    for (int caller = 0; caller < 6; ++caller) {
      const auto outcome = sandbox.run_javascript(
          request_of("console.log(1)", Millis{0}, "tenant-" + std::to_string(caller)));
      ASSERT_TRUE(outcome) << outcome.error().message;
    }
  }
}

TEST_P(WorkerLoss, TheZygoteKilledMidRunHangsNobody) {
  Sandbox sandbox = ready_sandbox();
  const auto before = workers();
  auto running = run_in_background(
      sandbox, "const t = Date.now(); while (Date.now() - t < 1000); console.log('whole')",
      Millis{30'000});
  static_cast<void>(wait_for_busy_worker(before));
  const auto killed_at = Clock::now();
  send(zygotes(), SIGKILL);

  const Answer answer = running.get();
  EXPECT_LE(answer.at - killed_at, Millis{20'000});
  if (answer.outcome) {
    EXPECT_EQ(answer.outcome->stdout_bytes, "whole\n");
  } else {
    EXPECT_EQ(answer.outcome.error().code, ErrorCode::kInfrastructure);
    EXPECT_FALSE(answer.outcome.error().not_dispatched.has_value());
  }
  expect_42_soon(sandbox);
}

TEST_P(WorkerLoss, EverythingKilledAtOnce) {
  Sandbox sandbox = ready_sandbox();
  for (int round = 0; round < 3; ++round) {
    send(descendants(::getpid()), SIGKILL);
    expect_42_soon(sandbox);
  }
}

TEST_P(WorkerLoss, AStoppedWorkerHoldsNobodyPastTheDeadline) {
  Sandbox sandbox = ready_sandbox();
  const auto before = workers();
  const auto start = Clock::now();
  auto running = run_in_background(sandbox, "for (;;);", Millis{3'000});
  const auto busy = wait_for_busy_worker(before);
  ASSERT_EQ(::kill(busy.pid, SIGSTOP), 0);

  const Answer answer = running.get();
  EXPECT_LE(answer.at - start, Millis{20'000});
  if (answer.outcome) {
    contract::expect_timed_out(*answer.outcome);
  } else {
    EXPECT_EQ(answer.outcome.error().code, ErrorCode::kInfrastructure);
  }
  expect_42(sandbox);
  EXPECT_TRUE(all_gone({busy}, kPatience));  // nothing stays behind, stopped or not
}

TEST_P(WorkerLoss, DestructionLeavesNoProcess) {
  std::vector<Process> all;
  {
    Sandbox sandbox = ready_sandbox();
    expect_42(sandbox);
    all = descendants(::getpid());
    EXPECT_GE(all.size(), 2U);
  }
  EXPECT_TRUE(all_gone(all, kPatience));
  EXPECT_TRUE(descendants(::getpid()).empty());
}

// The host process itself is killed, without a chance to clean up.
TEST_P(WorkerLoss, AKilledHostLeavesNoProcess) {
  int ready_pipe[2];
  ASSERT_EQ(::pipe(ready_pipe), 0);
  const pid_t host = ::fork();
  ASSERT_GE(host, 0);
  if (host == 0) {
    ::close(ready_pipe[0]);
    [[maybe_unused]] const Sandbox sandbox = ready_sandbox();
    const char byte = 'r';
    if (::write(ready_pipe[1], &byte, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ready_pipe[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready_pipe[0], &byte, 1), 1);
  ::close(ready_pipe[0]);
  const auto all = descendants(host);
  EXPECT_GE(all.size(), 2U);
  ASSERT_EQ(::kill(host, SIGKILL), 0);
  ASSERT_EQ(::waitpid(host, nullptr, 0), host);
  EXPECT_TRUE(all_gone(all, kPatience));
}

}  // namespace
}  // namespace plimsoll::e2e
