// The digest of what was asked: anyone who knows the request can recompute it, and no other request
// has it. Covers what decides about the run; the trace id is left out. docs/run-records.md is the
// contract.
#pragma once

#include "core/run_payload.h"
#include "record/digest.h"
#include "record/field_writer.h"

namespace plimsoll::record {

// Writes the version 2 form. `asked` has a payload: check_asked_run() has refused one without.
void encode_request(const AskedRun& asked, ByteSink& sink);
[[nodiscard]] Digest request_digest(const AskedRun& asked);

// The version 1 form: as version 2, without the software rule, which it did not have. For records
// that older daemons made.
void encode_request_v1(const AskedRun& asked, ByteSink& sink);
[[nodiscard]] Digest request_digest_v1(const AskedRun& asked);

}  // namespace plimsoll::record
