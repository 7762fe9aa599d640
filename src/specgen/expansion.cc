#include "specgen/expansion.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kTextBytes = 64;

}  // namespace

// As deep as the document is, which has a bound; ends soon after the weight is beyond the bound.
void Expansion::measure(const Node& node, std::size_t& weight) const {
  weight += 1 + node.text.size() / kTextBytes;
  for (const Node* item : node.items) {
    if (weight > most_) return;
    measure(*item, weight);
  }
  for (const Member& one : node.members) {
    if (weight > most_) return;
    weight += one.name.size() / kTextBytes;
    measure(*one.value, weight);
  }
}

bool Expansion::add(const Node& node) {
  if (exceeded()) return false;
  const auto [known, is_new] = weights_.try_emplace(&node, 0);
  if (is_new) measure(node, known->second);
  spent_ += known->second;
  return !exceeded();
}

// Of a list of parameters, of answers by their codes, or of one body.
void Expansion::add_refs(const Node* values) {
  if (values == nullptr) return;
  const auto add_target = [this](const Node& node) {
    if (const Node* target = refs_.resolved_before(node); target != nullptr) (void)add(*target);
  };
  add_target(*values);
  for (const Node* item : values->items) add_target(*item);
  for (const Member& one : values->members) add_target(*one.value);
}

bool Expansion::add_operation(const Node& item, const Node& operation) {
  if (const Node* shared = item.find("parameters"); shared != nullptr && !add(*shared))
    return false;
  if (!add(operation)) return false;
  add_refs(item.find("parameters"));
  for (const char* name : {"parameters", "requestBody", "responses"}) {
    add_refs(operation.find(name));
  }
  return !exceeded();
}

}  // namespace plimsoll::specgen
