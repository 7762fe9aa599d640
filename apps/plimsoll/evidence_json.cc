#include "evidence_json.h"

#include <string>

namespace plimsoll::cli {

Json evidence_json(const IsolationEvidence& evidence) {
  Json facts = Json::array();
  for (const EvidenceFact& fact : evidence.facts) {
    facts.push_back({{"name", fact.name},
                     {"value", fact.value},
                     {"basis", to_string(fact.basis)},
                     {"observed_unix_ms", fact.observed_unix_ms}});
  }
  return {{"tier", to_string(evidence.tier)}, {"facts", std::move(facts)}};
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plimsoll::cli
