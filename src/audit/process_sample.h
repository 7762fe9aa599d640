// What the kernel says about this process, for the process_* metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll {

// CPU time and memory; zero where it could not be read.
struct ProcessSample {
  double cpu_seconds = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
};

// The part of it that is in /proc/self/stat (proc(5)); nullopt when it has another form. Pure.
[[nodiscard]] std::optional<ProcessSample> parse_proc_stat(std::string_view stat,
                                                           std::uint64_t ticks_per_second,
                                                           std::uint64_t page_bytes) noexcept;

// Reads /proc/self; about 50 microseconds.
[[nodiscard]] ProcessSample sample_process();

}  // namespace plimsoll
