#include "specgen/document_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::specgen {

bool DocumentBuilder::refuse(Mark mark, std::string message) {
  if (!refused()) {
    fault_ = {.severity = Severity::kError, .mark = mark, .message = std::move(message)};
  }
  return false;
}

bool DocumentBuilder::expects_key() const {
  return !open_.empty() && open_.back().node->is(Kind::kObject) && !open_.back().has_key;
}

bool DocumentBuilder::count(std::size_t weight, Mark mark) {
  if (weight > limits_.max_nodes - nodes_) {
    return refuse(mark, fmt::format("has more than {} values, each alias counted as what it "
                                    "stands for",
                                    limits_.max_nodes));
  }
  nodes_ += weight;
  return true;
}

bool DocumentBuilder::fits_below(unsigned height, Mark mark) {
  if (open_.size() + height <= limits_.max_depth) return true;
  return refuse(mark, fmt::format("is nested more than {} deep", limits_.max_depth));
}

// Pointers stay true: the document does not move its nodes.
void DocumentBuilder::place(const Node& node, unsigned height) {
  if (open_.empty()) {
    document_.set_root(node);
    return;
  }
  Open& parent = open_.back();
  parent.height = std::max(parent.height, height + 1);
  if (parent.node->is(Kind::kArray)) {
    parent.node->items.push_back(&node);
  } else {
    parent.node->members.back().value = &node;
    parent.has_key = false;
  }
}

bool DocumentBuilder::key(std::string name, Mark mark) {
  Open& parent = open_.back();
  if (!parent.names.insert(name).second) {
    return refuse(mark, fmt::format("repeats the key {}", quoted(name)));
  }
  parent.has_key = true;
  parent.node->members.push_back({.name = std::move(name), .mark = mark, .value = nullptr});
  return true;
}

bool DocumentBuilder::scalar(Kind kind, std::string text, Mark mark) {
  return scalar(kind, std::move(text), mark, 0);
}

bool DocumentBuilder::scalar(Kind kind, std::string text, Mark mark, std::size_t anchor) {
  if (!count(1, mark)) return false;
  const Node& node = document_.add({.kind = kind, .mark = mark, .text = std::move(text)});
  if (anchor != 0) anchors_[anchor] = {.node = &node, .weight = 1};
  place(node, 0);
  return true;
}

bool DocumentBuilder::open(Kind kind, Mark mark, std::size_t anchor) {
  if (!fits_below(1, mark)) return false;
  const std::size_t before = nodes_;
  if (!count(1, mark)) return false;
  Node& node = document_.add({.kind = kind, .mark = mark});
  if (anchor != 0) anchors_[anchor] = {};
  place(node, 1);
  open_.push_back({.node = &node, .first_weight = before, .anchor = anchor});
  return true;
}

bool DocumentBuilder::close() {
  const Open& closed = open_.back();
  const unsigned height = closed.height;
  if (closed.anchor != 0) {
    anchors_[closed.anchor] = {
        .node = closed.node, .weight = nodes_ - closed.first_weight, .height = height};
  }
  open_.pop_back();
  if (!open_.empty()) open_.back().height = std::max(open_.back().height, height + 1);
  return true;
}

bool DocumentBuilder::alias(std::size_t anchor, Mark mark) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end() || found->second.node == nullptr) {
    return refuse(mark, "is an alias for a value that contains it");
  }
  const Anchored& anchored = found->second;
  if (!fits_below(anchored.height, mark) || !count(anchored.weight, mark)) return false;
  place(*anchored.node, anchored.height);
  return true;
}

}  // namespace plimsoll::specgen
