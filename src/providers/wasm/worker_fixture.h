// What the tests of real workers share: a look at the processes below this one, and at one of them.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "plimsoll/evidence.h"
#include "providers/jailed/program_file.h"
#include "providers/jailed/worker_factory.h"
#include "providers/jailed/worker_pool.h"
#include "providers/jailed/worker_process.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::wasm {

// What these tests are about.
using jailed::open_program;
using jailed::PoolOptions;
using jailed::RunReport;
using jailed::RunStatus;
using jailed::WorkerFactory;
using jailed::WorkerHandle;
using jailed::WorkerPool;
using jailed::WorkerProcess;
using jailed::ZygoteProcess;

using Millis = std::chrono::milliseconds;

#ifdef PLIMSOLL_SANITIZED
inline constexpr int kSlowness = 10;
#else
inline constexpr int kSlowness = 1;
#endif

inline constexpr guest::RunHeader kPatientRun{.timeout_us = 5'000'000,
                                              .output_cap = 65'536,
                                              .flood_bytes = 1 << 20,
                                              .memory_bytes = std::uint64_t{64} << 20};

// A process below this one, as proc(5) has it.
struct Descendant {
  pid_t pid = 0;
  std::string name;
  char state = '?';
};

[[nodiscard]] inline std::vector<Descendant> descendants() {
  struct Entry {
    Descendant process;
    pid_t parent = 0;
  };
  std::vector<Entry> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), pid).ptr !=
        number.data() + number.size()) {
      continue;
    }
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    const auto open = line.find('(');
    const auto close = line.rfind(')');
    Entry found{.process = {.pid = pid, .name = line.substr(open + 1, close - open - 1)}};
    std::istringstream(line.substr(close + 1)) >> found.process.state >> found.parent;
    all.push_back(found);
  }
  std::set<pid_t> below = {::getpid()};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Entry& entry : all) {
      if (below.contains(entry.parent)) grown = below.insert(entry.process.pid).second || grown;
    }
  }
  std::vector<Descendant> result;
  for (const Entry& entry : all) {
    if (entry.process.pid != ::getpid() && below.contains(entry.process.pid)) {
      result.push_back(entry.process);
    }
  }
  return result;
}

[[nodiscard]] inline std::vector<Descendant> descendants(std::string_view name) {
  std::vector<Descendant> result = descendants();
  std::erase_if(result, [name](const Descendant& process) {
    return process.name != name || process.state == 'Z';
  });
  return result;
}

[[nodiscard]] inline std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Polls until it holds; false when it does not within `patience`.
[[nodiscard]] inline bool eventually(const std::function<bool()>& holds,
                                     Millis patience = Millis{20'000}) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(Millis{2});
  }
  return true;
}

[[nodiscard]] inline std::string fact(const IsolationEvidence& evidence, std::string_view name) {
  for (const EvidenceFact& fact : evidence.facts) {
    if (fact.name == name) return fact.value;
  }
  return "(no such fact)";
}

[[nodiscard]] inline pid_t pid_of(const WorkerProcess& worker) {
  const std::string text = fact(worker.evidence(), "worker.pid");
  pid_t pid = -1;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

[[nodiscard]] inline bool is_gone(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return true;
  return line.substr(line.rfind(')') + 2, 1) == "Z";
}

inline void expect_42(WorkerProcess& worker) {
  const RunReport report = worker.run(kPatientRun, {.code = "console.log(6*7)"});
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.stdout_bytes, "42\n");
}

}  // namespace plimsoll::wasm
