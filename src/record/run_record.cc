#include "record/run_record.h"

#include <cassert>
#include <set>
#include <string_view>
#include <utility>

#include "record/request_digest.h"
#include "record/result_digest.h"

namespace plimsoll::record {

void encode_record(const RunRecord& record, ByteSink& sink) {
  FieldWriter fields(sink, "plimsoll.run-record.v2");
  fields.bytes("request_sha256", record.request_sha256);
  fields.bytes("result_sha256", record.result_sha256);
  fields.bytes("provider", record.provider);
  fields.bytes("isolation", record.isolation);
  fields.bytes("environment", record.environment);
  fields.bytes("policy", record.policy);
  fields.bytes("software_identity", record.software_identity);
  fields.bytes("software_rule_id", record.software_rule_id);
  fields.integer("started_unix_ms", record.started_unix_ms);
  fields.integer("ended_unix_ms", record.ended_unix_ms);
  fields.bytes("session", record.session);
  fields.count("sequence", record.sequence);
  fields.bytes("previous_sha256", record.previous_sha256);
}

Digest record_digest(const RunRecord& record) {
  Sha256Sink sink;
  encode_record(record, sink);
  return sink.finish();
}

RunRecord complete(RunRecord record, const AskedRun& asked, const RunResult& result) {
  record.version = kRecordVersion;
  record.request_sha256 = request_digest(asked).hex();
  record.result_sha256 = result_digest(result).hex();
  record.software_rule_id = software_rule_id(asked.software_rule);
  record.record_sha256 = record_digest(record).hex();
  return record;
}

std::string software_rule_id(const SoftwareRule& rule) {
  if (rule.mode.empty()) return "";
  if (rule.mode == "exact") {
    assert(rule.identities.size() == 1);
    return "exact:" + rule.identities.front();
  }
  assert(rule.mode == "approved");
  // char_traits<char> compares as unsigned bytes.
  const std::set<std::string_view> unique(rule.identities.begin(), rule.identities.end());
  Sha256Sink sink;
  std::string_view separator;
  for (const std::string_view identity : unique) {
    sink.append(separator);
    sink.append(identity);
    separator = std::string_view("\0", 1);
  }
  return "approved:sha256:" + sink.finish().hex();
}

}  // namespace plimsoll::record
