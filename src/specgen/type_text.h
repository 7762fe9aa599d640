// Schemas as types of TypeScript. What TypeScript cannot say (patterns, ranges, "not") is left out;
// what a schema does not say is unknown. Always terminates: whatever a "$ref" leads to has a name.
#pragma once

#include <string>
#include <string_view>

#include "specgen/document.h"
#include "specgen/refs.h"
#include "specgen/schema_names.h"

namespace plimsoll::specgen {

class TypeText {
 public:
  // Both outlive it.
  TypeText(Refs& refs, const SchemaNames& names) : refs_(refs), names_(names) {}

  // The type of a named schema's declaration, on lines that are indented by `indent` blanks but the
  // first. `schema` has a name.
  [[nodiscard]] std::string declaration(const Node& schema, std::size_t indent);

  // The type of any schema, on one line; null: unknown.
  [[nodiscard]] std::string of(const Node* schema);

 private:
  [[nodiscard]] std::string text(const Node& schema, bool direct);
  [[nodiscard]] std::string base(const Node& schema);
  [[nodiscard]] std::string of_type(std::string_view type, const Node& schema);
  [[nodiscard]] std::string object(const Node& schema);
  [[nodiscard]] std::string reference(const Node& schema, bool direct);

  Refs& refs_;
  const SchemaNames& names_;
  const Node* declared_ = nullptr;  // whose declaration is written
};

// A value as a literal type: "\"asc\"", "3", "null"; "unknown" for arrays and objects.
[[nodiscard]] std::string literal_type(const Node& value);

}  // namespace plimsoll::specgen
