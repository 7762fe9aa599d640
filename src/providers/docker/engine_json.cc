#include "providers/docker/engine_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "providers/docker/engine_client.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {
constexpr JsonLimits kLimits{.max_bytes = kMaxListBytes, .max_depth = 32, .max_values = 1'000'000};
}  // namespace

Result<JsonValue> parse_answer(std::string_view what, std::string_view bytes) {
  auto value = parse_json(bytes, kLimits);
  if (value) return value;
  return not_ready(fmt::format("the container engine's {} {}", what, value.error().message));
}

const JsonValue* member_at(const JsonValue& root, std::string_view path) noexcept {
  const JsonValue* value = &root;
  while (value != nullptr && !path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    value = find_member(*value, path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return value;
}

std::optional<std::string> string_at(const JsonValue& root, std::string_view path) {
  const JsonValue* value = member_at(root, path);
  if (value == nullptr || value->kind != JsonKind::kString) return std::nullopt;
  return value->text;
}

std::optional<std::int64_t> whole_at(const JsonValue& root, std::string_view path) noexcept {
  const JsonValue* value = member_at(root, path);
  return value == nullptr ? std::nullopt : value->integer;
}

std::optional<bool> bool_at(const JsonValue& root, std::string_view path) noexcept {
  const JsonValue* value = member_at(root, path);
  if (value == nullptr || value->kind != JsonKind::kBool) return std::nullopt;
  return value->is_true;
}

std::optional<std::vector<std::string>> strings_at(const JsonValue& root, std::string_view path) {
  std::vector<std::string> strings;
  const JsonValue* value = member_at(root, path);
  if (value == nullptr || value->kind == JsonKind::kNull) return strings;
  if (value->kind != JsonKind::kArray) return std::nullopt;
  for (const JsonValue& item : value->items) {
    if (item.kind != JsonKind::kString) return std::nullopt;
    strings.push_back(item.text);
  }
  return strings;
}

bool is_hex_id(std::string_view text) noexcept {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace plimsoll::docker
