// Reads the fields of one JSON object, and collects what is wrong with them: unknown and repeated
// ones, and values of the wrong kind. Never shows a value: it may be a secret in the wrong place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"

namespace plimsoll {

// Not for concurrent use. The object and the mistakes live as long.
class ObjectFields {
 public:
  // `place` stands in front of each mistake: "profile 'orders': token.". Every member of `object`
  // that is not in `names`, or that comes twice, is one; so is an object that is none.
  ObjectFields(std::string place, const JsonValue& object, std::span<const std::string_view> names,
               std::vector<std::string>& mistakes);

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // "<place><name> <what>".
  void mistake(std::string_view name, std::string_view what);

  // Each returns `otherwise` when the field is not there, or is a mistake.
  [[nodiscard]] std::string text(std::string_view name, std::string otherwise = {});
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t least,
                                     std::int64_t greatest, std::int64_t otherwise);
  [[nodiscard]] bool flag(std::string_view name);  // false when it is not there
  [[nodiscard]] std::vector<std::string> texts(std::string_view name, std::size_t most);
  // The index of the field's text in `choices`; 0 when it is not there.
  [[nodiscard]] std::size_t one_of(std::string_view name,
                                   std::span<const std::string_view> choices);
  // The value itself; null when it is not there.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;

 private:
  std::string place_;
  const JsonValue* object_;
  std::vector<std::string>* mistakes_;
};

}  // namespace plimsoll
