// The first half of CallerRegistry::parse(): from bytes to callers, with a mistake for each thing
// that is wrong with one of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/caller_registry.h"

namespace plimsoll {

// What was read. Callers with mistakes are left out of `callers`, so it counts only without
// mistakes.
struct ReadRegistry {
  std::vector<RegisteredCaller> callers;
  std::vector<std::string> mistakes;
};

[[nodiscard]] ReadRegistry read_registry(std::string_view json);

}  // namespace plimsoll
