#include "providers/docker/instance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>

#include "providers/proc_files.h"

namespace plimsoll::docker {

namespace {

constexpr std::string_view kBoot = "plimsoll.boot";
constexpr std::string_view kPidNs = "plimsoll.pid_ns";
constexpr std::string_view kPid = "plimsoll.pid";
constexpr std::string_view kStarted = "plimsoll.started";
constexpr std::string_view kSerial = "plimsoll.serial";

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string_view label(const ContainerEntry& container, std::string_view name) {
  const auto found = std::ranges::find(container.labels, name, &Labels::value_type::first);
  return found == container.labels.end() ? std::string_view() : std::string_view(found->second);
}

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 20 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string start_time_of(std::string_view stat_text) {
  const auto name_end = stat_text.rfind(')');
  if (name_end == std::string_view::npos) return {};
  std::string_view rest = stat_text.substr(name_end + 1);
  // Behind the name stands field 3; the start is field 22 (proc(5)).
  for (int field = 3;; ++field) {
    const auto from = rest.find_first_not_of(' ');
    if (from == std::string_view::npos) return {};
    rest.remove_prefix(from);
    const auto end = std::min(rest.find(' '), rest.size());
    if (field == 22) return is_number(rest.substr(0, end)) ? std::string(rest.substr(0, end)) : "";
    rest.remove_prefix(end);
  }
}

Result<Instance> this_instance(Entropy& entropy) {
  std::array<std::byte, 16> random{};
  if (auto filled = entropy.fill(random); !filled) return std::unexpected(filled.error());
  Instance self;
  for (const std::byte byte : random) self.id += fmt::format("{:02x}", std::to_integer<int>(byte));
  self.boot = trimmed(read_small_file("/proc/sys/kernel/random/boot_id").value_or(""));
  self.pid_ns = link_text("/proc/self/ns/pid");
  self.pid = std::to_string(::getpid());
  self.started = start_time_of(read_small_file("/proc/self/stat").value_or(""));
  if (self.boot.empty() || self.pid_ns.empty() || self.started.empty()) {
    return std::unexpected(Error{.code = ErrorCode::kInfrastructure,
                                 .message = "/proc is not readable",
                                 .not_dispatched = NotDispatchedReason::kEnvironment});
  }
  return self;
}

Labels labels_of(const Instance& instance, std::uint64_t serial) {
  return {
      {std::string(kInstanceLabel), instance.id}, {std::string(kBoot), instance.boot},
      {std::string(kPidNs), instance.pid_ns},     {std::string(kPid), instance.pid},
      {std::string(kStarted), instance.started},  {std::string(kSerial), std::to_string(serial)}};
}

Ownership ownership_of(const ContainerEntry& container, const Instance& self) {
  if (label(container, kInstanceLabel) == self.id) return Ownership::kOurs;
  const std::string_view pid = label(container, kPid);
  const std::string_view started = label(container, kStarted);
  if (label(container, kBoot) != self.boot || label(container, kPidNs) != self.pid_ns ||
      !is_number(pid) || !is_number(started)) {
    return Ownership::kUnknown;
  }
  if (const auto stat = read_small_file(fmt::format("/proc/{}/stat", pid))) {
    return start_time_of(*stat) == started ? Ownership::kLiving : Ownership::kOrphan;
  }
  // That it cannot be looked at (hidepid, no descriptor left) does not make it dead.
  pid_t number = 0;
  const auto parsed = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  const bool gone = parsed.ec == std::errc() && ::kill(number, 0) != 0 && errno == ESRCH;
  return gone ? Ownership::kOrphan : Ownership::kUnknown;
}

std::uint64_t serial_of(const ContainerEntry& container) {
  const std::string_view text = label(container, kSerial);
  std::uint64_t serial = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), serial);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? serial : 0;
}

}  // namespace plimsoll::docker
