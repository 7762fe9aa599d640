// Keeps routes within what a grant takes: 2048 bytes and 32 query parameters, of all operations
// that share a route together.
#pragma once

#include <vector>

#include "specgen/api_model.h"
#include "specgen/diagnostics.h"

namespace plimsoll::specgen {

// Leaves out the query parameters that are too much, with a warning for each. An operation whose
// path alone is too long, or that loses a parameter which it requires, is removed and returned.
[[nodiscard]] std::vector<Operation> bound_routes(std::vector<Operation>& operations,
                                                  Diagnostics& diagnostics);

}  // namespace plimsoll::specgen
