// A document as a tree, whatever it was written in: what JSON can say, with the place of each
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "specgen/diagnostics.h"

namespace plimsoll::specgen {

enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "a boolean", "a number", "a string", "an array", "an object".
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

struct Node;

struct Member {
  std::string name;  // valid UTF-8; no two of one object are equal
  Mark mark;
  const Node* value = nullptr;  // never null
};

struct Node {
  Kind kind = Kind::kNull;
  Mark mark;
  // Of a string: valid UTF-8. Of a number: as JSON writes it. Of a boolean: "true" or "false".
  std::string text{};
  std::vector<const Node*> items{};  // of an array
  std::vector<Member> members{};     // of an object, in the order of the document

  // The value of a member; null: there is none, or this is no object. Linear.
  [[nodiscard]] const Node* find(std::string_view name) const noexcept;
  [[nodiscard]] bool is(Kind other) const noexcept { return kind == other; }
  [[nodiscard]] bool is_true() const noexcept { return kind == Kind::kBool && text == "true"; }
};

// The bounds of a document, well above real ones.
struct DocumentLimits {
  std::size_t max_bytes = std::size_t{32} << 20;
  std::size_t max_nodes = 2'000'000;  // with each alias counted as what it stands for
  unsigned max_depth = 200;           // of arrays and objects within each other
  // Of the operations and the schemas that they lead to, with each "$ref" of an operation counted
  // as what it stands for, and 64 bytes of text as a value.
  std::size_t max_expanded = 4'000'000;
};

// Owns the nodes; they stay where they are. A node may stand in several places (a YAML alias), and
// never within itself.
class Document {
 public:
  [[nodiscard]] const Node& root() const noexcept { return *root_; }

  [[nodiscard]] Node& add(Node node) { return nodes_.emplace_back(std::move(node)); }
  void set_root(const Node& node) noexcept { root_ = &node; }

 private:
  std::deque<Node> nodes_{1};
  const Node* root_ = &nodes_.front();
};

}  // namespace plimsoll::specgen
