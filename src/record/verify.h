// Whether the record that came with an answer is a record of that very question and that very
// answer.
#pragma once

#include <string>
#include <vector>

#include "core/run_payload.h"
#include "core/run_result.h"
#include "record/run_record.h"

namespace plimsoll::record {

// What the answer says about itself, next to its record.
struct AnswerClaims {
  std::string provider{};
  std::string isolation{};
  std::string environment{};
  std::string software_identity{};
};

// The names of the record's fields that are not what they have to be, in the order of the contract;
// empty: the record holds. Everything but times, policy and session can be checked; those three are
// covered by record_sha256 only. Never trust a part of an answer whose record does not hold:
// whoever altered one field could have altered any.
[[nodiscard]] std::vector<std::string> mismatches(const RunRecord& record, const AskedRun& asked,
                                                  const RunResult& result,
                                                  const AnswerClaims& claims);

}  // namespace plimsoll::record
