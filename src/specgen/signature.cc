#include "specgen/signature.h"

#include <algorithm>
#include <ranges>

namespace plimsoll::specgen {

std::vector<Argument> arguments_of(const Operation& operation) {
  std::vector<Argument> arguments;
  arguments.reserve(operation.path_parameters.size() + 2);
  for (const Parameter& one : operation.path_parameters) {
    arguments.push_back(
        {.kind = ArgumentKind::kPath, .name = one.identifier, .parameter = &one, .required = true});
  }
  if (operation.body) {
    arguments.push_back(
        {.kind = ArgumentKind::kBody, .name = "body", .required = operation.body->required});
  }
  if (!operation.query.empty()) {
    arguments.push_back({.kind = ArgumentKind::kQuery,
                         .name = "query",
                         .required = std::ranges::any_of(operation.query, &Parameter::required)});
  }
  bool optional = true;
  for (Argument& one : arguments | std::views::reverse) {
    optional = optional && !one.required;
    one.optional = optional;
  }
  return arguments;
}

}  // namespace plimsoll::specgen
