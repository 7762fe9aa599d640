// What a plain scalar of YAML means, by the core schema of YAML 1.2 (10.3.2) and nothing else: NO,
// on and y are strings, and so are 2024-01-01 and 1_000.
#pragma once

#include <string>
#include <string_view>

#include "specgen/document.h"

namespace plimsoll::specgen {

struct ScalarValue {
  Kind kind = Kind::kString;
  std::string text;  // as Node has it: numbers as JSON writes them
};

// Infinite numbers and .nan are null, as JSON has none.
[[nodiscard]] ScalarValue value_of_plain_scalar(std::string_view text);

}  // namespace plimsoll::specgen
