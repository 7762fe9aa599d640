#include "base/json_tree.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 200, .max_depth = 3, .max_values = 10};

// The tree in a short form, or the error.
std::string text_of(const JsonValue& value) {
  std::string text;
  switch (value.kind) {
    case JsonKind::kString:
      return "'" + value.text + "'";
    case JsonKind::kArray:
      for (const JsonValue& item : value.items) text += text_of(item) + " ";
      return "[" + text + "]";
    case JsonKind::kObject:
      for (const auto& [name, member] : value.members) text += name + "=" + text_of(member) + " ";
      return "{" + text + "}";
    default:
      return std::string(to_string(value.kind));
  }
}

std::string parsed(std::string_view bytes) {
  const auto value = parse_json(bytes, kLimits);
  return value ? text_of(*value) : value.error().message;
}

TEST(JsonTree, Values) {
  EXPECT_EQ(parsed(R"( {"a": [1, -2.5e3, true, null], "b": {"c": "\u00e9\n"}} )"),
            "{a=[a number a number a boolean null ] b={c='é\n' } }");
  EXPECT_EQ(parsed("\"\""), "''");
  EXPECT_EQ(parsed("[]"), "[]");
}

TEST(JsonTree, BooleansAndWholeNumbersHaveTheirValue) {
  const auto value = parse_json(
      "[true, false, 0, -7, 9223372036854775807, 9223372036854775808, 1.0, 1e2]", kLimits);
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->items[0].is_true);
  EXPECT_FALSE(value->items[1].is_true);
  EXPECT_EQ(value->items[2].integer, 0);
  EXPECT_EQ(value->items[3].integer, -7);
  EXPECT_EQ(value->items[4].integer, 9223372036854775807);
  for (std::size_t i = 5; i < 8; ++i) EXPECT_EQ(value->items[i].integer, std::nullopt) << i;
}

TEST(JsonTree, RepeatedKeysAreKept) {
  EXPECT_EQ(parsed(R"({"a": 1, "a": "x", "\u0061": null})"), "{a=a number a='x' a=null }");
}

TEST(JsonTree, Limits) {
  EXPECT_EQ(parsed("[[[]]]"), "[[[] ] ]");
  EXPECT_EQ(parsed("[[[[]]]]"), "is nested more than 3 deep");
  EXPECT_EQ(parsed(R"({"a":{"a":{"a":{}}}})"), "is nested more than 3 deep");
  EXPECT_EQ(parsed("[1,2,3,4,5,6,7,8,9]").size(), 83U);
  EXPECT_EQ(parsed("[1,2,3,4,5,6,7,8,9,10]"), "has more than 10 values");
  EXPECT_EQ(parsed("\"" + std::string(198, 'x') + "\"").size(), 200U);
  EXPECT_EQ(parsed("\"" + std::string(199, 'x') + "\""), "has more than 200 bytes");
}

TEST(JsonTree, AnErrorSaysWhereAndNotWhat) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "is not JSON from line 1, column 1 on"},
      {"{\n  secret", "is not JSON from line 2, column 3 on"},
      {"{\"a\":\n\n\"secret", "is not JSON from line 3, column 8 on"},
      {"[1] secret", "is not JSON from line 1, column 5 on"},
      {"[1,]", "is not JSON from line 1, column 4 on"},
      {"{'a': 1}", "is not JSON from line 1, column 2 on"},
      {"// c\n[]", "is not JSON from line 1, column 1 on"},
      {"\"\xFF\"", "is not JSON from line 1, column 2 on"},
      {"\"a\nb\"", "is not JSON from line 1, column 3 on"},
      {"NaN", "is not JSON from line 1, column 1 on"},
      {"01", "is not JSON from line 1, column 2 on"},
  };
  for (const auto& [bytes, error] : cases) EXPECT_EQ(parsed(bytes), error) << bytes;
}

}  // namespace
}  // namespace plimsoll
