// The record of one run: what was asked and answered, as digests, and behind which boundary.
#pragma once

#include <cstdint>
#include <string>

namespace plimsoll {

// The version of the records that are made and accepted.
inline constexpr std::uint32_t kRecordVersion = 2;

// It is not signed; whoever keeps one can later show that neither request nor result was altered.
// docs/run-records.md says how each digest is recomputed. Digests are lower-case hex. provider,
// isolation, environment and software_identity are those of the answer itself: clients refuse an
// answer whose record says otherwise.
struct RunRecord {
  std::uint32_t version = kRecordVersion;
  std::string request_sha256{};
  std::string result_sha256{};
  std::string provider{};
  std::string isolation{};
  std::string environment{};
  std::string policy{};
  std::string software_identity{};
  std::string software_rule_id{};
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::string session{};          // the three of a session are empty for a single run
  std::uint64_t sequence = 0;     // from 1 within a session
  std::string previous_sha256{};  // of the session's run before
  std::string record_sha256{};    // of all the above but the version
};

}  // namespace plimsoll
