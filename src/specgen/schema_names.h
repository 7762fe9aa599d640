// The schemas that the client's types name: every one that a "$ref" leads to from an operation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "specgen/api_model.h"
#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

// The schemas within `schema` that hold for values of its own type, or of its parts: what type text
// is made of.
[[nodiscard]] std::vector<const Node*> subschemas_of(const Node& schema);

class SchemaNames {
 public:
  // Finds what the selected operations of `api` lead to. Outlived by the document.
  SchemaNames(const Api& api, Refs& refs);

  // The type's name for the target of a "$ref"; empty: none, which `refs` has told of.
  [[nodiscard]] std::string_view name_of(const Node& target) const;

  // In the order in which they are met.
  [[nodiscard]] const std::vector<const Node*>& schemas() const noexcept { return order_; }

  // Whether a type that is `from` itself, not only holds it, may be `to` itself: of a circle of
  // such aliases one is not, for TypeScript refuses it.
  [[nodiscard]] bool may_be_direct(const Node& from, const Node& to) const;

 private:
  void collect(const Node* root);
  void name(const Node& target, std::string_view ref);
  void break_circles();
  [[nodiscard]] std::vector<const Node*> direct_targets(const Node& schema) const;

  Refs& refs_;
  std::unordered_set<const Node*> seen_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_;  // the number to try, by the wanted name
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::unordered_set<const Node*>> broken_;
};

}  // namespace plimsoll::specgen
