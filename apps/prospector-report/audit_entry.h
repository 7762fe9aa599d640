// One audit line, read back. The line is taken to be hostile: whoever writes a file of these may
// not be the daemon.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/advice.h"

namespace plimsoll::prospector {

inline constexpr std::size_t kMaxCallerBytes = 1024;
inline constexpr std::size_t kMaxFindingsOfLine = 64;

enum class EntryOutcome : std::uint8_t { kOk, kRefused, kFailed, kCanceled };

enum class BadLine : std::uint8_t {
  kNotJson,   // no JSON object, not UTF-8, or nested too deeply
  kTooLong,   // more than kMaxLineBytes
  kBadField,  // a field that an audit line has, with what none has
  kNotAudit,  // JSON of another stream, such as the log's; not a fault
};
inline constexpr std::size_t kBadLines = 4;

struct AuditEntry {
  std::chrono::sys_days day{};
  std::string caller{};   // UTF-8, any characters; at most kMaxCallerBytes
  std::string profile{};  // a WireName; empty: no grant
  EntryOutcome outcome = EntryOutcome::kOk;
  std::uint64_t host_calls = 0;
  // As "aggregate" and "detailed" write it. has_advice is false for a line without any.
  bool has_advice = false;
  std::uint64_t findings = 0;
  std::uint64_t extra_calls = 0;
  std::uint64_t added_latency_ms = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t advice_dropped = 0;
  bool detailed = false;
  std::vector<AdviceFinding>
      advice{};  // each route is one that a grant could hold; detail is empty
};

// Keeps its buffers from line to line. Not for concurrent use.
class EntryReader {
 public:
  EntryReader();
  ~EntryReader();
  EntryReader(EntryReader&&) noexcept;
  EntryReader& operator=(EntryReader&&) noexcept;

  [[nodiscard]] std::expected<AuditEntry, BadLine> read(std::string_view line);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace plimsoll::prospector
