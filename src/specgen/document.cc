#include "specgen/document.h"

#include <algorithm>

namespace plimsoll::specgen {

std::string_view to_string(Kind kind) noexcept {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "a boolean";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "null";
}

const Node* Node::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : found->value;
}

}  // namespace plimsoll::specgen
