#include "process_tree.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

namespace plimsoll::e2e {
namespace {

// proc(5), /proc/PID/stat. The name stands in parentheses and may hold any byte.
std::optional<Process> read_process(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Process process{.pid = pid, .name = line.substr(open + 1, close - open - 1)};
  std::istringstream rest(line.substr(close + 1));
  rest >> process.state >> process.parent;
  std::string skipped;
  for (int field = 5; field <= 13; ++field) rest >> skipped;
  unsigned long long user = 0;
  unsigned long long system = 0;
  rest >> user >> system;
  for (int field = 16; field <= 21; ++field) rest >> skipped;
  rest >> process.start_tick;
  process.cpu_ticks = user + system;
  return process;
}

std::vector<Process> all_processes() {
  std::vector<Process> processes;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return processes;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's own.
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name(entry->d_name);
    pid_t pid = 0;
    if (std::from_chars(name.begin(), name.end(), pid).ec != std::errc{} || pid <= 0) continue;
    if (auto process = read_process(pid)) processes.push_back(*std::move(process));
  }
  ::closedir(directory);
  return processes;
}

}  // namespace

std::vector<Process> descendants(pid_t ancestor) {
  const std::vector<Process> all = all_processes();
  std::set<pid_t> below = {ancestor};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Process& process : all) {
      if (below.contains(process.parent)) grown = below.insert(process.pid).second || grown;
    }
  }
  std::vector<Process> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Process& process) {
    return process.pid != ancestor && process.state != 'Z' && below.contains(process.pid);
  });
  return found;
}

std::vector<Process> descendants(pid_t ancestor, std::string_view name) {
  std::vector<Process> found = descendants(ancestor);
  std::erase_if(found, [name](const Process& process) { return process.name != name; });
  return found;
}

bool is_alive(const Process& process) {
  const auto now = read_process(process.pid);
  return now && now->start_tick == process.start_tick && now->state != 'Z';
}

bool all_gone(const std::vector<Process>& processes, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::ranges::any_of(processes, is_alive)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace plimsoll::e2e
