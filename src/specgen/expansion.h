// What a document comes to when each "$ref" is written out. A document of a megabyte can name the
// same megabyte ten thousand times; what is made of it would fill a disk, and take until tomorrow.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

// Counts values, and every 64 bytes of text as one more. Outlived by the refs. Not for concurrent
// use.
class Expansion {
 public:
  Expansion(const Refs& refs, std::size_t most) : refs_(refs), most_(most) {}

  // Adds what was read of an operation: its own value, what it shares with the others of its path
  // `item`, and the parameters, bodies and answers that their refs led to. False: more than the
  // bound, now or before.
  [[nodiscard]] bool add_operation(const Node& item, const Node& operation);

  // Adds a value with all within it.
  [[nodiscard]] bool add(const Node& node);

  [[nodiscard]] bool exceeded() const noexcept { return spent_ > most_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

 private:
  void add_refs(const Node* values);
  void measure(const Node& node, std::size_t& weight) const;

  const Refs& refs_;
  std::size_t most_;
  std::size_t spent_ = 0;
  std::unordered_map<const Node*, std::size_t> weights_;
};

}  // namespace plimsoll::specgen
