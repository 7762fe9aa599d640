// Follows "$ref" within the document (RFC 6901 pointers in a fragment). What leaves the document is
// refused by name: nothing is ever fetched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "specgen/diagnostics.h"
#include "specgen/document.h"

namespace plimsoll::specgen {

// Outlived by the document and the diagnostics. Not for concurrent use.
class Refs {
 public:
  Refs(const Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  // The value that `node` stands for: itself when it has no "$ref". Null, and an error at the
  // "$ref" that names it: external, dangling, no text, or a chain that comes back to itself.
  [[nodiscard]] const Node* resolve(const Node* node);

  // What the "$ref" of `node` names, which may be a "$ref" again; null as above.
  [[nodiscard]] const Node* step(const Node& node);

  // What resolve() came to for a node with a "$ref"; null as above, or because it was not asked.
  [[nodiscard]] const Node* resolved_before(const Node& node) const;

  // The member of an object, soon found even if it has many; null: there is none.
  [[nodiscard]] const Node* member(const Node& node, const std::string& name) const;

  // The text of the "$ref" of `node`, if it has one that is text.
  [[nodiscard]] static std::optional<std::string_view> ref_of(const Node* node);

  // "Pet" of "#/components/schemas/Pet", unescaped; nullopt for any other ref.
  [[nodiscard]] static std::optional<std::string> schema_name(std::string_view ref);

 private:
  [[nodiscard]] const Node* target(std::string_view ref, const Node& at);
  [[nodiscard]] const Node* end_of(const Node* node, std::unordered_set<const Node*>& passed);
  [[nodiscard]] const Node* walk(std::string_view pointer) const;

  const Document& document_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, const Node*> targets_;
  // Where chains of refs end; null: where one does not, which was told.
  std::unordered_map<const Node*, const Node*> ends_;
  // Members by name of the objects that are large.
  mutable std::unordered_map<const Node*, std::unordered_map<std::string_view, const Node*>> index_;
};

}  // namespace plimsoll::specgen
