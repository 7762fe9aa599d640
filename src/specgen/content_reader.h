// Reads request bodies and answers: what of them is JSON, the only thing that the broker sends.
#pragma once

#include <optional>

#include "specgen/api_model.h"
#include "specgen/parameter_reader.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

struct ReadBody {
  std::optional<Body> body{};
  std::optional<Skip> skip{};
};

// `request_body` may be null: there is none. A body that is optional and no JSON is left out with a
// warning.
[[nodiscard]] ReadBody read_body(const Node* request_body, Refs& refs, Diagnostics& diagnostics);

// All answers of 2xx; of "default" when there is none of them.
[[nodiscard]] Answers read_answers(const Node* responses, Refs& refs);

}  // namespace plimsoll::specgen
