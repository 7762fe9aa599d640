// The digest of what was answered: exit codes, flags, output and artifacts. Durations, advice and
// terminations are left out. docs/run-records.md is the contract.
#pragma once

#include "core/run_result.h"
#include "record/digest.h"
#include "record/field_writer.h"

namespace plimsoll::record {

void encode_result(const RunResult& result, ByteSink& sink);
[[nodiscard]] Digest result_digest(const RunResult& result);

}  // namespace plimsoll::record
