#include "grants/object_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxShownName = 24;

// A field's name as a mistake may show it; what looks like no name may be a secret.
std::string shown(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > kMaxShownName || !std::ranges::all_of(name, plain)) {
    return "an unknown field";
  }
  return fmt::format("the unknown field '{}'", name);
}

}  // namespace

ObjectFields::ObjectFields(std::string place, const JsonValue& object,
                           std::span<const std::string_view> names,
                           std::vector<std::string>& mistakes)
    : place_(std::move(place)), object_(&object), mistakes_(&mistakes) {
  if (object.kind != JsonKind::kObject) {
    mistakes.push_back(
        fmt::format("{}is {}; an object is accepted", place_, to_string(object.kind)));
    return;
  }
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : object.members) {
    if (std::ranges::find(names, name) == names.end()) {
      mistakes.push_back(
          fmt::format("{}has {}; {} are accepted", place_, shown(name), fmt::join(names, ", ")));
    } else if (std::ranges::find(seen, name) != seen.end()) {
      mistake(name, "is there twice");
    } else {
      seen.push_back(name);
    }
  }
}

void ObjectFields::mistake(std::string_view name, std::string_view what) {
  mistakes_->push_back(fmt::format("{}{} {}", place_, name, what));
}

const JsonValue* ObjectFields::find(std::string_view name) const {
  const auto at = std::ranges::find(object_->members, name, &JsonMember::name);
  return at == object_->members.end() ? nullptr : &at->value;
}

std::string ObjectFields::text(std::string_view name, std::string otherwise) {
  const JsonValue* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->kind == JsonKind::kString) return value->text;
  mistake(name, fmt::format("is {}; a string is accepted", to_string(value->kind)));
  return otherwise;
}

std::int64_t ObjectFields::integer(std::string_view name, std::int64_t least, std::int64_t greatest,
                                   std::int64_t otherwise) {
  const JsonValue* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->integer && *value->integer >= least && *value->integer <= greatest) {
    return *value->integer;
  }
  mistake(name, fmt::format("is no whole number of {} to {}", least, greatest));
  return otherwise;
}

bool ObjectFields::flag(std::string_view name) {
  const JsonValue* value = find(name);
  if (value == nullptr) return false;
  if (value->kind == JsonKind::kBool) return value->is_true;
  mistake(name, fmt::format("is {}; true and false are accepted", to_string(value->kind)));
  return false;
}

std::vector<std::string> ObjectFields::texts(std::string_view name, std::size_t most) {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (value->kind != JsonKind::kArray) {
    mistake(name, fmt::format("is {}; an array of strings is accepted", to_string(value->kind)));
    return {};
  }
  if (value->items.size() > most) {
    mistake(name, fmt::format("has more than {} entries", most));
    return {};
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const JsonValue& item = value->items[i];
    if (item.kind != JsonKind::kString) {
      mistake(fmt::format("{}[{}]", name, i),
              fmt::format("is {}; a string is accepted", to_string(item.kind)));
    }
    texts.push_back(item.text);
  }
  return texts;
}

std::size_t ObjectFields::one_of(std::string_view name, std::span<const std::string_view> choices) {
  const JsonValue* value = find(name);
  if (value == nullptr) return 0;
  const auto at = std::ranges::find(choices, value->text);
  if (value->kind == JsonKind::kString && at != choices.end()) {
    return static_cast<std::size_t>(at - choices.begin());
  }
  mistake(name, fmt::format("is none of {}", fmt::join(choices, ", ")));
  return 0;
}

}  // namespace plimsoll
