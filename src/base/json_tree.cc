#include "base/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using Json = nlohmann::json;

// Builds the tree from the parser's events. The names of the methods are the parser's.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  [[nodiscard]] JsonValue& root() { return root_; }
  [[nodiscard]] const std::string& limit_exceeded() const { return limit_exceeded_; }
  [[nodiscard]] std::size_t error_offset() const { return error_offset_; }

  bool null() { return add({}) != nullptr; }
  bool boolean(bool is_true) {
    return add({.kind = JsonKind::kBool, .is_true = is_true}) != nullptr;
  }
  bool number_integer(Json::number_integer_t value) { return number(value); }
  bool number_unsigned(Json::number_unsigned_t value) {
    if (!std::in_range<std::int64_t>(value)) return number(std::nullopt);
    return number(static_cast<std::int64_t>(value));
  }
  bool number_float(Json::number_float_t, const std::string&) { return number(std::nullopt); }
  bool string(std::string& text) {
    return add({.kind = JsonKind::kString, .text = std::move(text)}) != nullptr;
  }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonKind::kObject); }
  bool start_array(std::size_t) { return open(JsonKind::kArray); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t offset, const std::string&, const Json::exception&) {
    error_offset_ = offset;
    return false;
  }

 private:
  bool number(std::optional<std::int64_t> integer) {
    return add({.kind = JsonKind::kNumber, .integer = integer}) != nullptr;
  }

  // Pointers into the tree stay true: only the innermost open container grows.
  JsonValue* add(JsonValue value) {
    if (++values_ > limits_.max_values) {
      limit_exceeded_ = fmt::format("has more than {} values", limits_.max_values);
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    JsonValue& parent = *open_.back();
    if (parent.kind == JsonKind::kArray) return &parent.items.emplace_back(std::move(value));
    parent.members.push_back({.name = std::move(key_), .value = std::move(value)});
    return &parent.members.back().value;
  }
  bool open(JsonKind kind) {
    if (open_.size() == limits_.max_depth) {
      limit_exceeded_ = fmt::format("is nested more than {} deep", limits_.max_depth);
      return false;
    }
    JsonValue* value = add({.kind = kind});
    if (value != nullptr) open_.push_back(value);
    return value != nullptr;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::string key_;
  std::size_t values_ = 0;
  std::string limit_exceeded_;
  std::size_t error_offset_ = 0;
};

std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                               .message = std::move(message),
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

// `offset` counts from 1, as the parser does.
std::string position(std::string_view bytes, std::size_t offset) {
  const std::string_view before =
      bytes.substr(0, std::min(offset == 0 ? 0 : offset - 1, bytes.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

std::string_view to_string(JsonKind kind) noexcept {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "null";
}

const JsonValue* find_member(const JsonValue& object, std::string_view name) noexcept {
  const JsonValue* found = nullptr;
  for (const JsonMember& member : object.members) {
    if (member.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &member.value;
  }
  return found;
}

Result<JsonValue> parse_json(std::string_view bytes, const JsonLimits& limits) {
  if (bytes.size() > limits.max_bytes) {
    return invalid(fmt::format("has more than {} bytes", limits.max_bytes));
  }
  Builder builder(limits);
  if (Json::sax_parse(bytes.begin(), bytes.end(), &builder)) return std::move(builder.root());
  if (!builder.limit_exceeded().empty()) return invalid(builder.limit_exceeded());
  return invalid(fmt::format("is not JSON from {} on", position(bytes, builder.error_offset())));
}

}  // namespace plimsoll
