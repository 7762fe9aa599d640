#include "specgen/credentials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kMostNamed = 20;

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
  const Node* found = schemes == nullptr ? nullptr : refs_.member(*schemes, scheme);
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

// Any one of the requirements is enough, and each wants all of its schemes.
bool Credentials::bearer_serves(const Node& security) {
  std::set<std::string> missing;
  for (const Node* requirement : security.items) {
    bool serves = true;
    for (const Member& one : requirement->members) {
      std::string text = unserved(one.name);
      if (text.empty()) continue;
      serves = false;
      missing.insert(std::move(text));
    }
    if (serves) return true;
  }
  wanted_.merge(missing);
  return false;
}

void Credentials::use(const Node* security) {
  if (security == nullptr) security = root_.find("security");
  if (security == nullptr || security->items.empty()) return;
  const auto [known, is_new] = served_.try_emplace(security, false);
  if (is_new) known->second = bearer_serves(*security);
  if (!known->second) ++operations_;
}

void Credentials::finish() {
  if (operations_ == 0) return;
  const std::size_t named = std::min(wanted_.size(), kMostNamed);
  const auto end = std::next(wanted_.begin(), static_cast<std::ptrdiff_t>(named));
  std::string more;
  if (named != wanted_.size()) more = fmt::format(", and {} more", wanted_.size() - named);
  diagnostics_.warn({}, fmt::format("{} operations want a credential other than the broker's "
                                    "'Authorization: Bearer': {}{}",
                                    operations_, fmt::join(wanted_.begin(), end, ", "), more));
}

}  // namespace plimsoll::specgen
