#include "specgen/document_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::specgen {
namespace {

constexpr DocumentLimits kSmall{.max_bytes = 4096, .max_nodes = 64, .max_depth = 8};

std::string fault(std::string_view bytes, const DocumentLimits& limits = kSmall) {
  Diagnostics diagnostics;
  const auto document = read_document(bytes, limits, diagnostics);
  EXPECT_EQ(document.has_value(), diagnostics.all().empty());
  return document ? "" : to_text(diagnostics.all().front());
}

// The tree as JSON-like text, with the place of each value.
std::string shown(const Node& node) {
  const std::string place =
      "@" + std::to_string(node.mark.line) + ":" + std::to_string(node.mark.column);
  std::string text;
  switch (node.kind) {
    case Kind::kNull:
      return "null" + place;
    case Kind::kString:
      return "'" + node.text + "'" + place;
    case Kind::kArray:
      for (const Node* item : node.items) text += (text.empty() ? "" : " ") + shown(*item);
      return "[" + text + "]" + place;
    case Kind::kObject:
      for (const Member& one : node.members) {
        text += (text.empty() ? "" : " ") + one.name + "@" + std::to_string(one.mark.line) + ":" +
                std::to_string(one.mark.column) + "=" + shown(*one.value);
      }
      return "{" + text + "}" + place;
    default:
      return node.text + place;
  }
}

std::string tree(std::string_view bytes) {
  Diagnostics diagnostics;
  const auto document = read_document(bytes, kSmall, diagnostics);
  return document ? shown(document->root()) : to_text(diagnostics.all().front());
}

TEST(DocumentReader, KnowsThePlaceOfEveryJsonValue) {
  EXPECT_EQ(tree("{\"a\": 1,\n  \"b\\\"\\\\\": [true, null, -2.5e3],\n\"c\":\"x\\u00e9\"}"),
            "{a@1:2=1@1:7 b\"\\@2:3=[true@2:13 null@2:19 -2.5e3@2:25]@2:12 "
            "c@3:1='x\xC3\xA9'@3:5}@1:1");
  EXPECT_EQ(tree("[]"), "[]@1:1");
  EXPECT_EQ(tree("\xEF\xBB\xBF{\"a\":7}"), "{a@1:2=7@1:6}@1:1");
}

TEST(DocumentReader, KnowsThePlaceOfEveryYamlValue) {
  EXPECT_EQ(tree("a: 1\nb:\n  - x\n  - 'y'\n200:\n"),
            "{a@1:1=1@1:4 b@2:1=['x'@3:5 'y'@4:5]@3:3 200@5:1=null@6:1}@1:1");
}

TEST(DocumentReader, WhatReadersWouldReadDifferentlyIsRefused) {
  for (const std::string_view nothing : {"", " \n", "%", "# a comment\n", "%YAML 1.2\n"}) {
    EXPECT_EQ(fault(nothing), "error: the document is empty") << nothing;
  }
  EXPECT_EQ(fault("{\"a\":1,\"\\u0061\":2}"), "line 1, column 8: error: repeats the key 'a'");
  EXPECT_EQ(fault("{\"a\":1}x"), "line 1, column 8: error: is not JSON from here on");
  EXPECT_EQ(fault("{\"a\":01}"), "line 1, column 7: error: is not JSON from here on");
  EXPECT_EQ(fault("a: \xFF"), "line 1, column 4: error: is not UTF-8 text from here on");
  EXPECT_EQ(fault(std::string("a: b\0c", 6)),
            "line 1, column 5: error: is not UTF-8 text from here on");
  EXPECT_EQ(fault("1: a\n'1': b\n"), "line 2, column 1: error: repeats the key '1'");
  EXPECT_EQ(fault("? [a]\n: b\n"), "line 1, column 3: error: is a key that is no text");
  EXPECT_EQ(fault("&a a: 1\nb: *x\n").substr(0, 38), "line 2, column 4: error: is not YAML: ");
  EXPECT_EQ(fault("a: !!int 7\n").substr(0, 38), "line 1, column 4: error: has the tag '");
}

TEST(DocumentReader, IsBoundedInBytesValuesAndDepth) {
  EXPECT_EQ(fault(std::string(4097, ' ')), "error: the document has more than 4096 bytes");
  const std::string open(9, '[');
  const std::string close(9, ']');
  EXPECT_EQ(fault(open + close), "line 1, column 9: error: is nested more than 8 deep");
  EXPECT_EQ(fault("a: " + open + close), "line 1, column 11: error: is nested more than 8 deep");
  EXPECT_EQ(fault(open.substr(1) + close.substr(1)), "");
  std::string many = "[0";
  for (int i = 0; i < 62; ++i) many += ",0";
  EXPECT_EQ(fault(many + "]"), "");
  EXPECT_NE(fault(many + ",0]").find("more than 64 values"), std::string::npos);
  EXPECT_NE(fault("a: " + many + "]").find("more than 64 values"), std::string::npos);
}

TEST(DocumentReader, AnAliasCountsAsWhatItStandsFor) {
  const std::string list = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  EXPECT_EQ(fault(list + "b: [*a, *a, *a, *a]\n"), "");
  EXPECT_NE(fault(list + "b: [*a, *a, *a, *a, *a, *a]\n").find("more than 64 values"),
            std::string::npos);
  // Depth too: each level of b holds all of a.
  EXPECT_NE(fault("a: &a [[[[1]]]]\nb: [[[[*a]]]]\n").find("more than 8 deep"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::specgen
