// Makes the record of one run.
#pragma once

#include <string>

#include "core/run_payload.h"
#include "core/run_result.h"
#include "plimsoll/run_record.h"
#include "record/digest.h"
#include "record/field_writer.h"

namespace plimsoll::record {

using plimsoll::kRecordVersion;
using plimsoll::RunRecord;

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
