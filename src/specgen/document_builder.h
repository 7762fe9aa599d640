// Builds a tree from a parser's events, within the limits: the one place that bounds what a
// document may grow to, whatever it was written in.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "specgen/document.h"

namespace plimsoll::specgen {

// Every method but fault() and take() returns false when the document is refused; the first reason
// is kept, and the parser has to stop.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(const DocumentLimits& limits) : limits_(limits) {}

  // The name of the member that comes next; only within an object.
  bool key(std::string name, Mark mark);
  bool scalar(Kind kind, std::string text, Mark mark);
  // `anchor` names the value for alias(); 0: none. A later one of the same name takes its place.
  bool scalar(Kind kind, std::string text, Mark mark, std::size_t anchor);
  bool open(Kind kind, Mark mark, std::size_t anchor = 0);
  bool close();
  bool alias(std::size_t anchor, Mark mark);
  bool refuse(Mark mark, std::string message);

  // What comes next is the name of a member.
  [[nodiscard]] bool expects_key() const;

  // Of the first refusal; empty: none.
  [[nodiscard]] const Diagnostic& fault() const { return fault_; }
  [[nodiscard]] bool refused() const { return !fault_.message.empty(); }
  [[nodiscard]] Document take() { return std::move(document_); }

 private:
  struct Open {
    Node* node = nullptr;
    std::size_t first_weight = 0;  // nodes_ when it was opened
    std::size_t anchor = 0;
    unsigned height = 1;  // of arrays and objects, itself included
    bool has_key = false;
    std::unordered_set<std::string> names{};
  };
  struct Anchored {
    const Node* node = nullptr;  // null: still open
    std::size_t weight = 0;
    unsigned height = 0;
  };

  bool count(std::size_t weight, Mark mark);
  void place(const Node& node, unsigned height);
  bool fits_below(unsigned height, Mark mark);

  DocumentLimits limits_;
  Document document_;
  std::vector<Open> open_;
  std::unordered_map<std::size_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  Diagnostic fault_;
};

}  // namespace plimsoll::specgen
