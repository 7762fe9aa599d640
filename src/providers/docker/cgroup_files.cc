#include "providers/docker/cgroup_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "providers/proc_files.h"

namespace plimsoll::docker {

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  text = text.substr(0, text.find_first_of(" \n"));
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_small_file(path);
  return text ? number_of(*text) : std::nullopt;
}

// Version 1 says "no limit" by a number that no machine has.
std::optional<std::uint64_t> limit_in(const std::string& path) {
  constexpr std::uint64_t kNone = std::uint64_t{1} << 60;
  const auto value = number_in(path);
  return value && *value < kNone ? value : std::nullopt;
}

// "QUOTA PERIOD" of version 2.
std::optional<double> cpus_in(const std::string& path) {
  const auto text = read_small_file(path);
  if (!text) return std::nullopt;
  const auto quota = number_of(*text);
  const auto blank = text->find(' ');
  if (!quota || blank == std::string::npos) return std::nullopt;
  const auto period = number_of(std::string_view(*text).substr(blank + 1));
  if (!period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// A path that leaves the hierarchy is that of another namespace, and not to be found from here.
bool is_group(std::string_view path) {
  return path.size() > 1 && path.front() == '/' && path.find("/..") == std::string_view::npos;
}

bool add_pids(const std::string& file, std::vector<pid_t>& pids) {
  const auto text = read_small_file(file);
  if (!text) return false;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto pid = number_of(rest);
    if (!pid || pids.size() == kMaxPidsOfAGroup) return false;
    pids.push_back(static_cast<pid_t>(*pid));
    rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
  }
  return true;
}

// The value of "name value" in a file of such lines.
std::optional<std::uint64_t> keyed_number(const std::string& path, std::string_view name) {
  const auto text = read_small_file(path);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
      return number_of(line.substr(name.size() + 1));
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<CgroupFolders> find_cgroup(std::string_view cgroup_text, const std::string& root) {
  CgroupFolders folders;
  std::string unified;
  while (!cgroup_text.empty()) {
    const std::string_view line = cgroup_text.substr(0, cgroup_text.find('\n'));
    cgroup_text.remove_prefix(std::min(line.size() + 1, cgroup_text.size()));
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (!is_group(path)) continue;
    const auto has = [controllers](std::string_view name) {
      return ("," + std::string(controllers) + ",").contains("," + std::string(name) + ",");
    };
    if (controllers.empty()) unified = path;
    // A hierarchy is mounted by the name of its controllers; a link has each one's.
    if (has("memory")) folders.memory = root + "/memory" + std::string(path);
    if (has("pids")) folders.pids = root + "/pids" + std::string(path);
    if (has("cpu")) folders.cpu = root + "/cpu" + std::string(path);
  }
  if (!folders.pids.empty()) {
    folders.processes = folders.pids;
    return folders;
  }
  if (unified.empty()) return std::nullopt;
  const std::string folder = root + unified;
  return CgroupFolders{
      .processes = folder, .memory = folder, .pids = folder, .cpu = folder, .unified = true};
}

bool is_group_of(const CgroupFolders& folders, std::string_view container_id) {
  if (container_id.empty()) return false;
  const std::string scope = "-" + std::string(container_id) + ".scope";
  std::string_view rest = folders.processes;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == container_id || part.ends_with(scope)) return true;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return false;
}

CgroupLimits read_limits(const CgroupFolders& folders) {
  CgroupLimits limits;
  limits.pids = number_in(folders.pids + "/pids.max");
  if (folders.unified) {
    limits.memory_bytes = number_in(folders.memory + "/memory.max");
    const auto swap = number_in(folders.memory + "/memory.swap.max");
    if (limits.memory_bytes && swap) limits.memory_and_swap_bytes = *limits.memory_bytes + *swap;
    limits.cpus = cpus_in(folders.cpu + "/cpu.max");
    return limits;
  }
  limits.memory_bytes = limit_in(folders.memory + "/memory.limit_in_bytes");
  limits.memory_and_swap_bytes = limit_in(folders.memory + "/memory.memsw.limit_in_bytes");
  const auto quota = limit_in(folders.cpu + "/cpu.cfs_quota_us");
  const auto period = number_in(folders.cpu + "/cpu.cfs_period_us");
  if (quota && period && *period != 0) {
    limits.cpus = static_cast<double>(*quota) / static_cast<double>(*period);
  }
  return limits;
}

std::optional<std::vector<pid_t>> read_pids(const CgroupFolders& folders) {
  std::vector<pid_t> pids;
  if (!add_pids(folders.processes + "/cgroup.procs", pids)) return std::nullopt;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folders.processes, error);
  const std::filesystem::recursive_directory_iterator end;
  for (; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    if (!add_pids(entry->path().string() + "/cgroup.procs", pids)) return std::nullopt;
  }
  if (error) return std::nullopt;
  return pids;
}

std::optional<std::uint64_t> read_oom_kills(const CgroupFolders& folders) {
  return keyed_number(folders.memory + (folders.unified ? "/memory.events" : "/memory.oom_control"),
                      "oom_kill");
}

}  // namespace plimsoll::docker
