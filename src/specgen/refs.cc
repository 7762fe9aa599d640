#include "specgen/refs.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kLarge = 32;

std::optional<unsigned> hex_value(std::string_view digits) {
  if (digits.size() != 2) return std::nullopt;
  unsigned value = 0;
  for (const char c : digits) {
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!letter && (c < '0' || c > '9')) return std::nullopt;
    // '0' is 0x30, 'A' 0x41 and 'a' 0x61.
    value = value * 16 + (static_cast<unsigned char>(c) & 0xFU) + (letter ? 9U : 0U);
  }
  return value;
}

// A fragment may be percent-encoded (RFC 6901, 6); what is no encoding stands for itself.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto value = text[i] == '%' ? hex_value(text.substr(i + 1, 2)) : std::nullopt;
    if (value) i += 2;
    decoded += value ? static_cast<char>(*value) : text[i];
  }
  return decoded;
}

// RFC 6901, 4.
std::string unescaped(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    name += !escape ? token[i] : token[i + 1] == '0' ? '~' : '/';
    if (escape) ++i;
  }
  return name;
}

}  // namespace

std::optional<std::string_view> Refs::ref_of(const Node* node) {
  const Node* ref = node == nullptr ? nullptr : node->find("$ref");
  if (ref == nullptr || !ref->is(Kind::kString)) return std::nullopt;
  return ref->text;
}

std::optional<std::string> Refs::schema_name(std::string_view ref) {
  for (const std::string_view prefix : {"#/components/schemas/", "#/definitions/"}) {
    if (!ref.starts_with(prefix)) continue;
    const std::string token = percent_decoded(ref.substr(prefix.size()));
    if (token.empty() || token.find('/') != std::string::npos) return std::nullopt;
    std::string name = unescaped(token);
    return is_valid_utf8(name) ? std::optional(std::move(name)) : std::nullopt;
  }
  return std::nullopt;
}

const Node* Refs::member(const Node& node, const std::string& name) const {
  if (node.members.size() <= kLarge) return node.find(name);
  auto& by_name = index_[&node];
  if (by_name.empty()) {
    for (const Member& one : node.members) by_name.emplace(one.name, one.value);
  }
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Node* Refs::walk(std::string_view pointer) const {
  const Node* node = &document_.root();
  while (!pointer.empty() && node != nullptr) {
    if (pointer.front() != '/') return nullptr;
    const std::size_t end = pointer.find('/', 1);
    const std::string name =
        unescaped(pointer.substr(1, end == std::string_view::npos ? end : end - 1));
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
    if (node->is(Kind::kArray)) {
      std::size_t at = 0;
      const char* stop = name.data() + name.size();
      const auto [parsed, error] = std::from_chars(name.data(), stop, at);
      const bool good = error == std::errc{} && parsed == stop && at < node->items.size();
      node = good ? node->items[at] : nullptr;
    } else {
      node = member(*node, name);
    }
  }
  return node;
}

const Node* Refs::target(std::string_view ref, const Node& at) {
  const auto [found, is_new] = targets_.try_emplace(std::string(ref), nullptr);
  if (is_new) {
    if (!ref.starts_with('#')) {
      diagnostics_.error(at.mark, fmt::format("$ref {} leaves the document; bundle the documents "
                                              "into one first",
                                              quoted(ref)));
      return nullptr;
    }
    found->second = walk(percent_decoded(ref.substr(1)));
    if (found->second == nullptr) {
      diagnostics_.error(at.mark,
                         fmt::format("$ref {} names nothing in the document", quoted(ref)));
    }
  }
  return found->second;
}

const Node* Refs::step(const Node& node) {
  const Node* ref = node.find("$ref");
  return ref != nullptr && ref->is(Kind::kString) ? target(ref->text, *ref) : nullptr;
}

const Node* Refs::resolved_before(const Node& node) const {
  const auto found = ends_.find(&node);
  return found == ends_.end() ? nullptr : found->second;
}

const Node* Refs::resolve(const Node* node) {
  std::unordered_set<const Node*> passed;
  const Node* end = end_of(node, passed);
  for (const Node* one : passed) ends_[one] = end;
  return end;
}

const Node* Refs::end_of(const Node* node, std::unordered_set<const Node*>& passed) {
  while (node != nullptr && node->is(Kind::kObject)) {
    const Node* ref = node->find("$ref");
    if (ref == nullptr) return node;
    if (const auto known = ends_.find(node); known != ends_.end()) return known->second;
    if (!ref->is(Kind::kString)) {
      diagnostics_.error(ref->mark, "$ref is no text");
      return nullptr;
    }
    if (!passed.insert(node).second) {
      diagnostics_.error(ref->mark, fmt::format("$ref {} comes back to itself", quoted(ref->text)));
      return nullptr;
    }
    node = target(ref->text, *ref);
  }
  return node;
}

}  // namespace plimsoll::specgen
