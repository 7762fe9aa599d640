// A hundred thousand runs in virtual machines, by several callers, with attacks among them: every
// answer is right, and nothing grows: no process, no descriptor, no memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../contract/provider_fixture.h"
#include "../e2e/process_tree.h"

namespace plimsoll::contract {
namespace {

constexpr int kRuns = 100'000;
constexpr int kThreads = 2;
constexpr int kRounds = 10;
// One run in so many is an attack, which costs its machine.
constexpr int kAttackEach = 500;

struct Snippet {
  std::string_view code;
  std::string_view out;
};
constexpr std::array<Snippet, 4> kSnippets = {
    {{"console.log(6*7)", "42\n"},
     {"console.log(typeof globalThis.left); globalThis.left = [1, 2, 3]", "undefined\n"},
     {"const a = []; for (let i = 0; i < 50; ++i) a.push({i}); "
      "console.log(JSON.stringify(a).length)",
      "441\n"},
     {"await null; console.log(/(a+)b/.exec('caab')[1])", "aa\n"}}};
constexpr std::array<std::string_view, 3> kAttacks = {
    "for (;;);", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
    "const f = () => f() + 1; try { f(); } catch { for (;;) console.log('x'.repeat(9999)); }"};

std::size_t descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return -1;
}

void share(Sandbox& sandbox, int runs, int seed, std::atomic<int>& wrong) {
  for (int i = 0; i < runs; ++i) {
    const auto at = static_cast<unsigned>(i + seed);
    RunRequest request{.caller = "caller-" + std::to_string(at % 2)};
    if (at % kAttackEach == 0) {
      request.code = kAttacks[at / kAttackEach % kAttacks.size()];
      request.timeout = Millis{30};
      if (!sandbox.run_javascript(request)) ++wrong;
      continue;
    }
    const Snippet& snippet = kSnippets[at % kSnippets.size()];
    request.code = snippet.code;
    const auto outcome = sandbox.run_javascript(request);
    if (!outcome || outcome->stdout_bytes != snippet.out ||
        outcome->evidence.tier != Isolation::kVm) {
      ++wrong;
    }
  }
}

TEST(MicrovmSoak, AHundredThousandRunsLeakNothing) {
  if (const std::string lacks = lacks_kvm(); !lacks.empty()) GTEST_SKIP() << lacks;
  auto sandbox = Sandbox::build(microvm_config({.max_concurrent = kThreads}));
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  ASSERT_TRUE(sandbox->ensure_ready());
  std::atomic<int> wrong = 0;
  share(*sandbox, 2 * kAttackEach, 0, wrong);  // what is made once is there from now on
  const std::size_t first_descriptors = descriptors();
  const long first_kib = resident_kib();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        share(*sandbox, kRuns / kRounds / kThreads, round * 7 + thread * 3 + 1, wrong);
      });
    }
    threads.clear();
    ASSERT_EQ(wrong, 0) << "round " << round;
    // A pool, machines that were kept, and a few on their way out.
    EXPECT_LE(e2e::descendants(::getpid(), e2e::kVmmName).size(), 12U);
    EXPECT_LE(descriptors(), first_descriptors + 24);
    EXPECT_LE(resident_kib(), first_kib + 8 * 1024) << "round " << round;
  }
}

}  // namespace
}  // namespace plimsoll::contract
