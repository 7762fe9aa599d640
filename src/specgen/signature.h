// The arguments of a method, in their order: the path's, then the body, then the query.
#pragma once

#include <string>
#include <vector>

#include "specgen/api_model.h"

namespace plimsoll::specgen {

enum class ArgumentKind : std::uint8_t { kPath, kBody, kQuery };

struct Argument {
  ArgumentKind kind = ArgumentKind::kPath;
  std::string name;
  const Parameter* parameter = nullptr;  // of kPath
  bool required = false;                 // may not be undefined
  bool optional = false;                 // may be left out: so may all that follow
};

[[nodiscard]] std::vector<Argument> arguments_of(const Operation& operation);

}  // namespace plimsoll::specgen
