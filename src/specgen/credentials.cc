#include "specgen/credentials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace plimsoll::specgen {
namespace {

std::string text_of(const Node* node, std::string_view name) {
  const Node* value = node == nullptr ? nullptr : node->find(name);
  return value != nullptr && value->is(Kind::kString) ? value->text : std::string();
}

bool equals_lower(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

}  // namespace

// Empty: a bearer token serves.
std::string Credentials::unserved(const std::string& scheme) {
  const Node* components = root_.find("components");
  const Node* schemes = components == nullptr ? nullptr : components->find("securitySchemes");
  const Node* found = schemes == nullptr ? nullptr : schemes->find(scheme);
  const Node* node = found == nullptr ? nullptr : refs_.resolve(found);
  const std::string type = text_of(node, "type");
  if (type == "oauth2" || type == "openIdConnect") return {};
  if (type == "http") {
    const std::string how = text_of(node, "scheme");
    return equals_lower(how, "bearer") ? std::string()
                                       : fmt::format("{} (HTTP {})", quoted(scheme), quoted(how));
  }
  if (type == "apiKey") {
    const std::string in = text_of(node, "in");
    const std::string name = text_of(node, "name");
    if (in == "header" && equals_lower(name, "authorization")) return {};
    return fmt::format("{} ({} {})", quoted(scheme), in == "query" ? in : "header or cookie",
                       quoted(name));
  }
  return fmt::format("{} (unknown)", quoted(scheme));
}

bool Credentials::bearer_serves(const Node& requirement) {
  std::set<std::string> missing;
  for (const Member& one : requirement.members) {
    std::string text = unserved(one.name);
    if (!text.empty()) missing.insert(std::move(text));
  }
  wanted_.insert(missing.begin(), missing.end());
  return missing.empty();
}

void Credentials::use(const Node* security) {
  if (security == nullptr) security = root_.find("security");
  if (security == nullptr || security->items.empty()) return;
  const std::set<std::string> before = wanted_;
  const bool served =
      std::ranges::any_of(security->items, [this](const Node* one) { return bearer_serves(*one); });
  if (served) {
    wanted_ = before;
  } else {
    ++operations_;
  }
}

void Credentials::finish() {
  if (operations_ == 0) return;
  diagnostics_.warn({}, fmt::format("{} operations want a credential other than the broker's "
                                    "'Authorization: Bearer': {}",
                                    operations_, fmt::join(wanted_, ", ")));
}

}  // namespace plimsoll::specgen
