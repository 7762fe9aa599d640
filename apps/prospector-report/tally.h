// Adds audit lines up, in memory that does not grow with their number.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "audit_entry.h"
#include "plimsoll/advice.h"

namespace plimsoll::prospector {

// Whoever comes when a table is full is counted as "others". A caller's id has up to 1 KiB, a
// finding up to 6: some 40 MiB in all, when everything is full.
inline constexpr std::size_t kMaxProfilesKept = 512;
inline constexpr std::size_t kMaxCallersKept = 4096;
inline constexpr std::size_t kMaxDaysKept = 1100;
inline constexpr std::size_t kMaxGroupsKept = 4096;
inline constexpr std::size_t kMaxExamples = 5;

// Who can mend a finding. The report keeps the three apart.
enum class FindingClass : std::uint8_t {
  kCode,      // with what is granted already
  kOperator,  // by one line in the profile
  kUnknown,   // no route is known
};
inline constexpr std::size_t kClasses = 3;
[[nodiscard]] FindingClass class_of(AdviceRemedy remedy) noexcept;

// Sums saturate.
struct Cost {
  std::uint64_t findings = 0;
  std::uint64_t extra_calls = 0;
  std::uint64_t added_latency_ms = 0;
  std::uint64_t bytes_moved = 0;

  void add(const AdviceFinding& finding) noexcept;
  void add(const Cost& other) noexcept;
};

// One row of a table by profile, caller, route or day.
struct Share {
  std::uint64_t runs = 0;  // of a route: runs with a finding about it
  std::uint64_t host_calls = 0;
  std::array<Cost, kClasses> by_class{};

  [[nodiscard]] Cost all() const noexcept;
};

// Findings about one route of one profile that say the same.
struct FindingGroup {
  AdviceFinding largest{};  // the one with the most extra calls
  Cost cost{};
  AdviceSeverity worst = AdviceSeverity::kLow;
};

// profile, method, route, remedy, grant_route, suggested route, pattern
using GroupKey = std::tuple<std::string, std::string, std::string, AdviceRemedy, std::string,
                            std::string, AdvicePattern>;

// A line that could not be read: where it stands, never what is in it.
struct BadExample {
  std::string input{};
  std::uint64_t line = 0;
  BadLine why = BadLine::kNotJson;
};

class Tally {
 public:
  void add(const AuditEntry& entry);
  void add_bad(BadLine why, std::string_view input, std::uint64_t line);
  void add_broken_input(std::string_view input);

  // The counts. Only add() changes them.
  std::uint64_t lines = 0;  // all, unreadable ones as well
  std::uint64_t runs = 0;   // audit lines
  std::array<std::uint64_t, 4> outcomes{};
  std::uint64_t granted_runs = 0;
  std::uint64_t advised_runs = 0;  // with a finding
  std::uint64_t host_calls = 0;
  Cost total{};                    // as the lines' sums say; of those without details as well
  Cost detailed{};                 // of findings that are there one by one
  std::uint64_t not_detailed = 0;  // findings that only a sum tells of
  std::array<std::uint64_t, kBadLines> bad{};
  std::vector<BadExample> examples{};
  std::vector<std::string> broken_inputs{};
  std::uint64_t broken_input_count = 0;
  std::map<std::string, Share> profiles{};
  std::map<std::string, Share> callers{};
  std::map<std::string, Share> routes{};  // "GET /v1/items/*"
  std::map<std::chrono::sys_days, Share> days{};
  std::map<GroupKey, FindingGroup> groups{};
  // Of what there was no room for, by table.
  Share other_profiles{};
  Share other_callers{};
  Share other_routes{};
  Share other_days{};
  Cost other_groups{};

  [[nodiscard]] std::uint64_t unreadable() const noexcept;
};

}  // namespace plimsoll::prospector
