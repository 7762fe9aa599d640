// Reads a JSON file (RFC 8259) that people write and machines must not misread: strict, bounded,
// and with what most readers lose: repeated keys, of which one reader takes the first and another
// the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/result.h"

namespace plimsoll {

enum class JsonKind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "a boolean", "a number", "a string", "an array", "an object".
[[nodiscard]] std::string_view to_string(JsonKind kind) noexcept;

struct JsonMember;

struct JsonValue {
  JsonKind kind = JsonKind::kNull;
  std::string text;      // of a string: valid UTF-8, escapes resolved
  bool is_true = false;  // of a boolean
  // Of a number that is written without fraction and exponent and fits; no other number has one.
  std::optional<std::int64_t> integer = std::nullopt;
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object, repeated ones as well
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

struct JsonLimits {
  std::size_t max_bytes = 0;
  unsigned max_depth = 0;      // of arrays and objects within each other
  std::size_t max_values = 0;  // of any kind, in all
};

// The member of that name, of an object that has it exactly once; else null.
[[nodiscard]] const JsonValue* find_member(const JsonValue& object, std::string_view name) noexcept;

// The whole of `bytes` as one value. Errors: kInvalidConfig with the line and column, never with
// what stands there: it may be a secret in the wrong place.
[[nodiscard]] Result<JsonValue> parse_json(std::string_view bytes, const JsonLimits& limits);

}  // namespace plimsoll
