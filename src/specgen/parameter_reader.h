// Reads the parameters of a path item and of its operation: what a route, a query and a header can
// say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specgen/api_model.h"
#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

struct Skip {
  SkipReason reason = SkipReason::kPath;
  std::string text;  // "it needs the header 'X-Trace'"
};

struct ReadParameters {
  std::vector<Parameter> path{};
  std::vector<Parameter> query{};
  std::optional<Skip> skip{};  // what makes the operation unreachable
};

// `of_path` and `of_operation` are the "parameters" lists, or null. An operation's own parameter
// takes the place of the path's with the same name and place. What is optional and cannot be sent
// is left out with a warning.
[[nodiscard]] ReadParameters read_parameters(const Node* of_path, const Node* of_operation,
                                             Refs& refs, Diagnostics& diagnostics);

}  // namespace plimsoll::specgen
