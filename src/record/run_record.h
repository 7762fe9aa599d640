// The record of one run: what was asked and answered, as digests, and behind which boundary. It is
// not signed; whoever keeps one can later show that neither request nor result was altered.
#pragma once

#include <cstdint>
#include <string>

#include "core/run_payload.h"
#include "core/run_result.h"
#include "record/digest.h"
#include "record/field_writer.h"

namespace plimsoll::record {

// The version that is made here.
inline constexpr std::uint32_t kRecordVersion = 2;

// Digests are lower-case hex. provider, isolation, environment and software_identity are those of
// the answer itself: clients refuse an answer whose record says otherwise.
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

void encode_record(const RunRecord& record, ByteSink& sink);
// What record_sha256 has to be; what it is does not matter.
[[nodiscard]] Digest record_digest(const RunRecord& record);

// Fills in the digests of request, result and record, and the software rule's id.
[[nodiscard]] RunRecord complete(RunRecord record, const AskedRun& asked, const RunResult& result);

// A software rule in one line: "" without a rule, "exact:" and the identity, or "approved:sha256:"
// and the SHA-256 of the identities, each once, sorted by bytes and joined with NUL. `rule` is
// valid: check_software_rule() found nothing.
[[nodiscard]] std::string software_rule_id(const SoftwareRule& rule);

}  // namespace plimsoll::record
