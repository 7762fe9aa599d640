#include "audit/process_sample.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace plimsoll {
namespace {

// The numbers of the fields in proc(5), less 3: counted from behind the name.
constexpr std::size_t kUserTicks = 11;
constexpr std::size_t kSystemTicks = 12;
constexpr std::size_t kVirtualBytes = 20;
constexpr std::size_t kResidentPages = 21;

std::uint64_t count_fds() {
  std::error_code error;
  std::uint64_t count = 0;
  std::filesystem::directory_iterator at("/proc/self/fd", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) ++count;
  return count > 0 ? count - 1 : 0;  // without the one that looks
}

}  // namespace

std::optional<ProcessSample> parse_proc_stat(std::string_view stat, std::uint64_t ticks_per_second,
                                             std::uint64_t page_bytes) noexcept {
  // The name is in parentheses, and may hold some itself.
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || ticks_per_second == 0) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 2);
  std::array<std::uint64_t, kResidentPages + 1> fields{};
  for (std::uint64_t& field : fields) {
    if (rest.empty()) return std::nullopt;
    const std::string_view word = rest.substr(0, rest.find(' '));
    // The first is a letter, and a few are negative; none of those is asked for.
    std::from_chars(word.data(), word.data() + word.size(), field);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return ProcessSample{
      .cpu_seconds = static_cast<double>(fields[kUserTicks] + fields[kSystemTicks]) /
                     static_cast<double>(ticks_per_second),
      .virtual_bytes = fields[kVirtualBytes],
      .resident_bytes = fields[kResidentPages] * page_bytes};
}

ProcessSample sample_process() {
  std::ifstream file("/proc/self/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  ProcessSample sample = parse_proc_stat(stat, static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)),
                                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)))
                             .value_or(ProcessSample{});
  sample.open_fds = count_fds();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) sample.max_fds = limit.rlim_cur;
  return sample;
}

}  // namespace plimsoll
