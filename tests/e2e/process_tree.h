// Looks at the processes below this one, as the kernel lists them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::e2e {

// The kernel's names for the library's own processes (at most 15 bytes).
inline constexpr std::string_view kWorkerName = "plimsoll-worker";
inline constexpr std::string_view kVmmName = "plimsoll-vmm";
inline constexpr std::string_view kZygoteName = "plimsoll-zygote";

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string name;                   // as in /proc/PID/comm
  char state = '?';                   // as in proc(5): R, S, T, Z, ...
  unsigned long long cpu_ticks = 0;   // used so far, user and system
  unsigned long long start_tick = 0;  // tells a process from a later one with its number
};

// Every living process below `ancestor`, at any depth; zombies are left out.
[[nodiscard]] std::vector<Process> descendants(pid_t ancestor);

// Those of them that have this name.
[[nodiscard]] std::vector<Process> descendants(pid_t ancestor, std::string_view name);

// Whether this very process (not a later one with its number) is still there and no zombie.
[[nodiscard]] bool is_alive(const Process& process);

// Polls until none of them is alive; false when some still are after `patience`.
[[nodiscard]] bool all_gone(const std::vector<Process>& processes,
                            std::chrono::milliseconds patience);

}  // namespace plimsoll::e2e
