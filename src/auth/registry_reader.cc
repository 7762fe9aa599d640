#include "auth/registry_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/json_tree.h"
#include "plimsoll/request.h"

namespace plimsoll {
namespace {

constexpr JsonLimits kLimits{.max_bytes = kMaxRegistryBytes,
                             .max_depth = 5,
                             .max_values = kMaxCallers * (kMaxScopes + 4) + 2};
constexpr std::size_t kMaxNamedField = 24;

// A field's name as a mistake may show it; what looks like no name may be a token.
std::string shown(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > kMaxNamedField || !std::ranges::all_of(name, plain)) {
    return "an unknown field";
  }
  return fmt::format("the unknown field '{}'", name);
}

// Collects what is wrong below one place of the document.
class Reader {
 public:
  template <class... Args>
  void mistake(std::string_view place, fmt::format_string<Args...> text, Args&&... args) {
    result_.mistakes.push_back(
        fmt::format("{} {}", place, fmt::format(text, std::forward<Args>(args)...)));
  }

  // The members of `object` by `names`, in that order; null where there is none. Every other
  // member, and every second one of a name, is a mistake.
  template <std::size_t N>
  std::array<const JsonValue*, N> members(std::string_view place, const JsonValue& object,
                                          const std::array<std::string_view, N>& names) {
    std::array<const JsonValue*, N> found{};
    if (object.kind != JsonKind::kObject) {
      mistake(place, "is {}; an object is accepted", to_string(object.kind));
      return found;
    }
    for (const auto& [name, value] : object.members) {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) {
        mistake(place, "has {}; {} are accepted", shown(name), fmt::join(names, ", "));
        continue;
      }
      const JsonValue*& slot = found[static_cast<std::size_t>(at - names.begin())];
      if (slot != nullptr) mistake(place, "has '{}' twice", name);
      slot = &value;
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (found[i] == nullptr) mistake(place, "has no '{}'", names[i]);
    }
    return found;
  }

  void read_caller(std::size_t index, const JsonValue& client);
  [[nodiscard]] ReadRegistry take() { return std::move(result_); }

 private:
  std::optional<std::string> read_id(std::string_view place, std::size_t index,
                                     const JsonValue& value);
  std::optional<TokenFingerprint> read_fingerprint(std::string_view place, std::size_t index,
                                                   const JsonValue& value);
  std::optional<std::vector<std::string>> read_scopes(const std::string& place,
                                                      const JsonValue& value);

  ReadRegistry result_;
  std::unordered_map<std::string, std::size_t> index_of_id_;
  std::unordered_map<std::string, std::size_t> index_of_token_;
};

std::optional<std::string> Reader::read_id(std::string_view place, std::size_t index,
                                           const JsonValue& value) {
  if (value.kind != JsonKind::kString || !is_caller_id(value.text)) {
    mistake(place, "'id' is no id; a string of 1 to {} bytes is accepted", kMaxCallerBytes);
    return std::nullopt;
  }
  const auto [first, is_new] = index_of_id_.emplace(value.text, index);
  if (is_new) return value.text;
  mistake(place, "has the id of clients[{}]", first->second);
  return std::nullopt;
}

std::optional<TokenFingerprint> Reader::read_fingerprint(std::string_view place, std::size_t index,
                                                         const JsonValue& value) {
  const auto token =
      value.kind == JsonKind::kString ? TokenFingerprint::from_hex(value.text) : std::nullopt;
  if (!token) {
    mistake(place, "'token_sha256' is no fingerprint; 64 hex digits are accepted");
    return std::nullopt;
  }
  const auto [first, is_new] = index_of_token_.emplace(token->hex(), index);
  if (is_new) return token;
  mistake(place, "has the token of clients[{}]", first->second);
  return std::nullopt;
}

std::optional<std::vector<std::string>> Reader::read_scopes(const std::string& place,
                                                            const JsonValue& value) {
  if (value.kind != JsonKind::kArray || value.items.empty() || value.items.size() > kMaxScopes) {
    mistake(place, "'scopes' is no list of scopes; an array of 1 to {} is accepted", kMaxScopes);
    return std::nullopt;
  }
  std::vector<std::string> scopes;
  const std::size_t before = result_.mistakes.size();
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    const std::string item_place = fmt::format("{}.scopes[{}]", place, i);
    if (item.kind != JsonKind::kString || !is_scope(item.text)) {
      mistake(item_place, "is no scope; {}", kScopeForm);
    } else if (std::ranges::find(scopes, item.text) != scopes.end()) {
      mistake(item_place, "repeats a scope");
    } else {
      scopes.push_back(item.text);
    }
  }
  if (result_.mistakes.size() != before) return std::nullopt;
  return scopes;
}

void Reader::read_caller(std::size_t index, const JsonValue& client) {
  static constexpr std::array<std::string_view, 3> kNames = {"id", "token_sha256", "scopes"};
  const std::string place = fmt::format("clients[{}]", index);
  const auto [id_value, token_value, scopes_value] = members(place, client, kNames);
  std::optional<std::string> id;
  std::optional<TokenFingerprint> token;
  std::optional<std::vector<std::string>> scopes;
  if (id_value != nullptr) id = read_id(place, index, *id_value);
  if (token_value != nullptr) token = read_fingerprint(place, index, *token_value);
  if (scopes_value != nullptr) scopes = read_scopes(place, *scopes_value);
  if (id && token && scopes) {
    result_.callers.push_back(
        {.id = std::move(*id), .token = *token, .scopes = std::move(*scopes)});
  }
}

}  // namespace

ReadRegistry read_registry(std::string_view json) {
  static constexpr std::array<std::string_view, 1> kNames = {"clients"};
  const auto document = parse_json(json, kLimits);
  if (!document) return {.callers = {}, .mistakes = {"the file " + document.error().message}};
  Reader reader;
  const auto [clients] = reader.members("the file", *document, kNames);
  if (clients != nullptr && clients->kind != JsonKind::kArray) {
    reader.mistake("'clients'", "is {}; an array is accepted", to_string(clients->kind));
  } else if (clients != nullptr && clients->items.size() > kMaxCallers) {
    reader.mistake("'clients'", "has more than {} entries", kMaxCallers);
  } else if (clients != nullptr) {
    for (std::size_t i = 0; i < clients->items.size(); ++i) {
      reader.read_caller(i, clients->items[i]);
    }
  }
  return reader.take();
}

}  // namespace plimsoll
