// Who made a container, and whether that process still lives: what tells an orphan from a container
// that another daemon on the same engine is using.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "plimsoll/result.h"
#include "providers/docker/engine_api.h"

namespace plimsoll::docker {

inline constexpr std::string_view kInstanceLabel = "plimsoll.instance";

// A process is named by more than its number, which is used again.
struct Instance {
  std::string id{};      // 32 hex digits, random
  std::string boot{};    // the kernel's boot id
  std::string pid_ns{};  // the namespace that `pid` counts in
  std::string pid{};
  std::string started{};  // when it was started, in the kernel's ticks since the boot
};

// This process. Errors: kInfrastructure, /proc or the entropy is not readable.
[[nodiscard]] Result<Instance> this_instance(Entropy& entropy);

// The labels of a container that it makes; `serial` is unique within the instance.
using Labels = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Labels labels_of(const Instance& instance, std::uint64_t serial);

enum class Ownership : std::uint8_t {
  kOurs,
  kLiving,   // another instance's, which lives
  kOrphan,   // its instance has gone
  kUnknown,  // of another boot's or namespace's process, which cannot be looked up from here
};

// Looks the container's instance up in /proc.
[[nodiscard]] Ownership ownership_of(const ContainerEntry& container, const Instance& self);

// The serial of one of ours; 0: it has none.
[[nodiscard]] std::uint64_t serial_of(const ContainerEntry& container);

// When the process started, from the text of /proc/PID/stat; empty: not to be understood. Pure: the
// name in it may hold blanks and parentheses.
[[nodiscard]] std::string start_time_of(std::string_view stat_text);

}  // namespace plimsoll::docker
