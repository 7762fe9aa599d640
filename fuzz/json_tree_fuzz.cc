// The JSON reader: within its limits whatever comes, strings are UTF-8, and a tree that is written
// again reads back as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/utf8.h"
#include "require.h"

namespace {

using plimsoll::JsonKind;
using plimsoll::JsonValue;
using plimsoll::fuzz::require;

constexpr plimsoll::JsonLimits kLimits{.max_bytes = 65'536, .max_depth = 16, .max_values = 1000};

std::string written(const JsonValue& value, unsigned depth, std::size_t& count) {
  ++count;
  std::string text;
  switch (value.kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "true";
    case JsonKind::kNumber:
      return "1";
    case JsonKind::kString:
      require(plimsoll::is_valid_utf8(value.text), "UTF-8");
      return plimsoll::json_string(value.text);
    case JsonKind::kArray:
      require(depth < kLimits.max_depth, "the depth's limit");
      for (const JsonValue& item : value.items) {
        text += (text.empty() ? "" : ",") + written(item, depth + 1, count);
      }
      return "[" + text + "]";
    case JsonKind::kObject:
      require(depth < kLimits.max_depth, "the depth's limit");
      for (const auto& [name, member] : value.members) {
        require(plimsoll::is_valid_utf8(name), "UTF-8");
        text += (text.empty() ? "" : ",") + plimsoll::json_string(name) + ":" +
                written(member, depth + 1, count);
      }
      return "{" + text + "}";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto tree = plimsoll::parse_json(input, kLimits);
  if (!tree) return 0;
  require(size <= kLimits.max_bytes, "the bytes' limit");
  std::size_t count = 0;
  const std::string text = written(*tree, 0, count);
  require(count <= kLimits.max_values, "the values' limit");
  if (text.size() > kLimits.max_bytes) return 0;
  const auto again = plimsoll::parse_json(text, kLimits);
  require(again.has_value(), "what was read is written as JSON");
  count = 0;
  require(written(*again, 0, count) == text, "and reads back as the same");
  return 0;
}
