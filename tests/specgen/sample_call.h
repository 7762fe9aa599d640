// A call of a generated method with sample arguments.
#pragma once

#include <string>

#include "specgen/api_model.h"

namespace plimsoll::specgen {

// A line that awaits the method: with every path parameter, a body, and every query parameter.
[[nodiscard]] std::string sample_call(const Operation& operation, const std::string& global);

}  // namespace plimsoll::specgen
