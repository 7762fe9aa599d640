#include "providers/jailed/worker_factory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "providers/wasm/worker_fixture.h"

namespace plimsoll::wasm {
namespace {

constexpr std::string_view kZygoteName = "plimsoll-zygote";

WorkerProcess make(WorkerFactory& factory) {
  auto worker = factory.make();
  if (!worker) throw std::runtime_error(worker.error().message);
  return *std::move(worker);
}

void kill_zygotes() {
  const auto zygotes = descendants(kZygoteName);
  ASSERT_FALSE(zygotes.empty());
  for (const Descendant& zygote : zygotes) ::kill(zygote.pid, SIGKILL);
  ASSERT_TRUE(eventually([] { return descendants(kZygoteName).empty(); }));
}

std::size_t zombies() {
  std::size_t count = 0;
  for (const Descendant& process : descendants()) count += process.state == 'Z' ? 1 : 0;
  return count;
}

TEST(WorkerFactory, StartsNothingBeforeTheFirstWorker) {
  const WorkerFactory factory(worker_program(), "", 64);
  EXPECT_TRUE(descendants().empty());
}

TEST(WorkerFactory, AKilledZygoteIsReplacedByTheNextCall) {
  WorkerFactory factory(worker_program(), "", 64);
  for (int round = 0; round < 3; ++round) {
    WorkerProcess worker = make(factory);
    expect_42(worker);
    kill_zygotes();
  }
  WorkerProcess worker = make(factory);
  EXPECT_EQ(worker.evidence().tier, Isolation::kProcess);
  expect_42(worker);
}

TEST(WorkerFactory, AStoppedZygoteDelaysButHangsNobody) {
  WorkerFactory factory(worker_program(), "", 64);
  {
    const WorkerProcess worker = make(factory);
  }
  for (const Descendant& zygote : descendants(kZygoteName)) ::kill(zygote.pid, SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  WorkerProcess worker = make(factory);
  EXPECT_LE(std::chrono::steady_clock::now() - start, Millis{20'000} * kSlowness);
  expect_42(worker);
}

TEST(WorkerFactory, HowAWorkerDiedIsTold) {
  WorkerFactory factory(worker_program(), "", 64);
  for (const int signal : {SIGKILL, SIGTERM, SIGABRT}) {
    WorkerProcess worker = make(factory);
    ASSERT_EQ(::kill(pid_of(worker), signal), 0);
    ASSERT_TRUE(eventually([&] { return is_gone(pid_of(worker)); }));
    EXPECT_TRUE(
        factory.bury(std::move(worker)).starts_with("signal " + std::to_string(signal) + " "))
        << signal;
  }
  // One that still lives is killed first.
  WorkerProcess living = make(factory);
  const pid_t pid = pid_of(living);
  EXPECT_TRUE(factory.bury(std::move(living)).starts_with("signal 9 "));
  EXPECT_TRUE(is_gone(pid));
}

TEST(WorkerFactory, HowManyWorkersDiedUnaskedIsStillTold) {
  WorkerFactory factory(worker_program(), "", 64);
  std::vector<WorkerProcess> workers;
  for (int i = 0; i < 10; ++i) workers.push_back(make(factory));
  for (const WorkerProcess& worker : workers) ::kill(pid_of(worker), SIGTERM);
  ASSERT_TRUE(eventually([&] {
    return std::ranges::all_of(workers, [](const auto& each) { return is_gone(pid_of(each)); });
  }));
  const WorkerProcess bystander = make(factory);  // the zygote buries the dead with each request
  for (WorkerProcess& worker : workers) {
    EXPECT_TRUE(factory.bury(std::move(worker)).starts_with("signal 15 "));
  }
}

// In its own pid namespace each zygote numbers its workers alike: the number of a dead one names a
// living one of the next generation.
TEST(WorkerFactory, AWorkerOfAnOlderZygoteIsNotReapedFromTheNewOne) {
  WorkerFactory factory(worker_program(), "", 64);
  WorkerProcess old = make(factory);
  kill_zygotes();
  std::vector<WorkerProcess> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(make(factory));
  EXPECT_NE(old.generation(), workers.front().generation());
  EXPECT_EQ(factory.bury(std::move(old)), "unknown");
  for (WorkerProcess& worker : workers) expect_42(worker);
}

TEST(WorkerFactory, NothingLeaksOverManyRunsAndDeaths) {
  WorkerFactory factory(worker_program(), "", 64);
  {
    const WorkerProcess warm = make(factory);
  }
  const auto descriptors = open_descriptors();
  std::optional<WorkerProcess> worker;
  for (int run = 0; run < 500; ++run) {
    if (!worker) worker.emplace(make(factory));
    expect_42(*worker);
    if (run % 5 != 4) continue;
    switch (run / 5 % 4) {
      case 0:
        worker->kill();
        break;
      case 1:
        (void)factory.bury(*std::exchange(worker, std::nullopt));
        break;
      case 2:
        ::kill(pid_of(*worker), SIGKILL);
        break;
      default:
        (void)worker->probe(1);
        break;
    }
    worker.reset();
  }
  worker.reset();
  EXPECT_EQ(open_descriptors(), descriptors);
  // The zygote buries with each request; the last ones die a moment after the last kill.
  EXPECT_TRUE(eventually([&] {
    const WorkerProcess another = make(factory);
    return zombies() == 0;
  }));
  EXPECT_TRUE(eventually([] { return descendants("plimsoll-worker").size() <= 1; }));
}

TEST(WorkerFactory, ItsEndIsTheEndOfEveryProcess) {
  std::vector<WorkerProcess> workers;
  {
    WorkerFactory factory(worker_program(), "", 64);
    for (int i = 0; i < 3; ++i) workers.push_back(make(factory));
    ::kill(pid_of(workers[0]), SIGSTOP);
  }
  EXPECT_TRUE(eventually([] {
    for (const Descendant& process : descendants()) {
      if (process.state != 'Z') return false;
    }
    return true;
  }));
}

TEST(WorkerFactory, TooLittleMemoryIsSaidSo) {
  WorkerFactory factory(worker_program(), "", 1);
  const auto worker = factory.make();
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code, ErrorCode::kNotReady);
  EXPECT_NE(worker.error().message.find("memory limit"), std::string::npos)
      << worker.error().message;
}

TEST(WorkerFactory, AWorkerFileThatIsNoneIsSaidSo) {
  const auto descriptors = open_descriptors();
  for (const std::string path : {"/nonexistent/plimsoll-worker", "/etc/passwd", "/", "/dev/null",
                                 "/bin/true", "/bin/sleep", PLIMSOLL_SOURCE_DIR "/tools/build"}) {
    WorkerFactory factory(worker_program(), path, 64);
    const auto worker = factory.make();
    ASSERT_FALSE(worker) << path;
    // It was not waited for.
    EXPECT_EQ(worker.error().message.find("does not answer"), std::string::npos) << path;
    EXPECT_EQ(worker.error().code, ErrorCode::kNotReady) << path;
    EXPECT_EQ(worker.error().not_dispatched, NotDispatchedReason::kEnvironment) << path;
    EXPECT_GT(worker.error().message.size(), 10U);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_TRUE(descendants().empty());
}

TEST(WorkerFactory, AProgramThatNeverAnswersIsGivenUpAndKilled) {
  char path[] = "/tmp/plimsoll-silent-XXXXXX";
  {
    const UniqueFd file(::mkostemp(path, O_CLOEXEC));
    constexpr std::string_view kScript = "#!/usr/bin/env -S sh -c 'exec sleep 60'\n";
    ASSERT_EQ(::write(file.get(), kScript.data(), kScript.size()),
              static_cast<ssize_t>(kScript.size()));
    ASSERT_EQ(::fchmod(file.get(), 0755), 0);
  }
  WorkerFactory factory(worker_program(), path, 64);
  const auto start = std::chrono::steady_clock::now();
  const auto worker = factory.make();
  const auto waited = std::chrono::steady_clock::now() - start;
  ::unlink(path);
  EXPECT_GE(waited, Millis{4'000});  // it was executed, and waited for
  EXPECT_LE(waited, Millis{20'000} * kSlowness);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code, ErrorCode::kNotReady);
  EXPECT_NE(worker.error().message.find("does not answer"), std::string::npos)
      << worker.error().message;
  EXPECT_TRUE(descendants("sleep").empty());
}

TEST(WorkerFactory, AnInstalledWorkerIsAsGoodAsTheEmbeddedOne) {
  WorkerFactory factory(worker_program(), PLIMSOLL_BIN_DIR "/plimsoll-worker", 64);
  WorkerProcess worker = make(factory);
  EXPECT_EQ(worker.evidence().tier, Isolation::kProcess);
  expect_42(worker);
}

TEST(WorkerFactory, AnyThreadsMakeAndBuryAtOnce) {
  WorkerFactory factory(worker_program(), "", 64);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&factory] {
      for (int i = 0; i < 10; ++i) {
        WorkerProcess worker = make(factory);
        expect_42(worker);
        EXPECT_TRUE(factory.bury(std::move(worker)).starts_with("signal 9 "));
      }
    });
  }
}

}  // namespace
}  // namespace plimsoll::wasm
