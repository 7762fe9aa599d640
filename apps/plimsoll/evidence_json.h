// Evidence as JSON, the same for every command.
#pragma once

#include <nlohmann/json.hpp>

#include "plimsoll/evidence.h"

namespace plimsoll::cli {

using Json = nlohmann::ordered_json;

// {"tier","facts":[{"name","value","basis","observed_unix_ms"}]}
[[nodiscard]] Json evidence_json(const IsolationEvidence& evidence);

// One line of text. Bytes that are not UTF-8 are replaced, never thrown at the caller.
[[nodiscard]] std::string to_line(const Json& json);

}  // namespace plimsoll::cli
