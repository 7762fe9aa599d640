#include "record/verify.h"

#include <string_view>

#include "record/request_digest.h"
#include "record/result_digest.h"

namespace plimsoll::record {

std::vector<std::string> mismatches(const RunRecord& record, const AskedRun& asked,
                                    const RunResult& result, const AnswerClaims& claims) {
  std::vector<std::string> found;
  const auto compare = [&](std::string_view name, const auto& is, const auto& has_to_be) {
    if (is != has_to_be) found.emplace_back(name);
  };
  compare("version", record.version, kRecordVersion);
  compare("request_sha256", record.request_sha256, request_digest(asked).hex());
  compare("result_sha256", record.result_sha256, result_digest(result).hex());
  compare("provider", record.provider, claims.provider);
  compare("isolation", record.isolation, claims.isolation);
  compare("environment", record.environment, claims.environment);
  compare("software_identity", record.software_identity, claims.software_identity);
  compare("software_rule_id", record.software_rule_id, software_rule_id(asked.software_rule));
  compare("record_sha256", record.record_sha256, record_digest(record).hex());
  return found;
}

}  // namespace plimsoll::record
