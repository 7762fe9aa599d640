#include "specgen/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

namespace plimsoll::specgen {
namespace {

Operation operation(std::string method, std::string path, std::string id) {
  return {.method = std::move(method), .path = std::move(path), .id = std::move(id)};
}

// The name of each route, whatever order the operations are in.
std::map<std::string, std::string> named(std::vector<Operation> operations) {
  Diagnostics diagnostics;
  name_operations(operations, diagnostics);
  std::map<std::string, std::string> names;
  for (const Operation& one : operations) names[one.method + " " + one.path] = one.name;
  return names;
}

TEST(Names, DependOnTheDocumentNotOnItsOrder) {
  std::vector<Operation> operations = {
      operation("GET", "/a", "get-pet"), operation("GET", "/b", "get.pet"),
      operation("GET", "/c", "getPet"),  operation("PUT", "/d", "then"),
      operation("PUT", "/e/{x}", ""),    operation("GET", "/f", "get pet")};
  const auto names = named(operations);
  EXPECT_EQ(names.at("GET /c"), "getPet");
  EXPECT_EQ(names.at("PUT /d"), "putD");
  EXPECT_EQ(names.at("PUT /e/{x}"), "putEByX");
  EXPECT_TRUE(names.at("GET /a").starts_with("getPet_"));
  std::mt19937 dice(7);  // NOLINT(cert-msc51-cpp): the same order in every run
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(operations, dice);
    EXPECT_EQ(named(operations), names);
  }
  // A name that had a suffix keeps it when others come and go.
  operations = {operation("GET", "/a", "get-pet"), operation("GET", "/c", "getPet")};
  EXPECT_EQ(named(operations).at("GET /a"), names.at("GET /a"));
}

TEST(Names, AreNeverTakenAwayFromAnybody) {
  for (const char* id : {"get", "put", "post", "patch", "del", "call", "raw", "then", "constructor",
                         "__proto__", "toString", "valueOf", "hasOwnProperty", "delete", "class",
                         "await", "toJSON", "prototype"}) {
    Diagnostics diagnostics;
    std::vector<Operation> operations = {operation("GET", "/x", id)};
    name_operations(operations, diagnostics);
    EXPECT_EQ(operations[0].name, "getX") << id;
    ASSERT_EQ(diagnostics.warnings(), 1U) << id;
    EXPECT_NE(diagnostics.all()[0].message.find(id), std::string::npos);
  }
}

TEST(Names, AreIdentifiersWhateverTheDocumentSays) {
  std::mt19937 dice(11);  // NOLINT(cert-msc51-cpp): the same names in every run
  std::vector<Operation> operations;
  for (int i = 0; i < 2'000; ++i) {
    std::string id;
    for (auto size = dice() % 9; size > 0; --size) {
      id += static_cast<char>(dice() % 3 == 0 ? dice() % 256 : 'a' + dice() % 3);
    }
    operations.push_back(operation("GET", "/" + std::to_string(i), id));
  }
  std::map<std::string, int> seen;
  for (const auto& [route, name] : named(operations)) {
    EXPECT_TRUE(is_identifier(name)) << name;
    EXPECT_FALSE(is_refused_name(name)) << name;
    EXPECT_EQ(++seen[name], 1) << name;
  }
}

TEST(Names, OfArgumentsDifferAndAreNoWords) {
  std::vector<Parameter> parameters = {{.name = "id"},      {.name = "i-d"}, {.name = "class"},
                                       {.name = "query"},   {.name = "i.d"}, {.name = "$send"},
                                       {.name = "\xC3\xA9"}};
  name_arguments(parameters);
  std::vector<std::string> names;
  std::ranges::transform(parameters, std::back_inserter(names), &Parameter::identifier);
  EXPECT_EQ(names,
            (std::vector<std::string>{"id", "iD", "class_", "query_2", "iD_2", "send", "value"}));
}

TEST(Glob, StarIsAnyRun) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("GET /a/*", "GET /a/b/c"));
  EXPECT_TRUE(glob_matches("*b*d", "abcbd"));
  EXPECT_FALSE(glob_matches("a*b", "abc"));
  EXPECT_FALSE(glob_matches("a", "ab"));
  EXPECT_TRUE(glob_matches("a**", "a"));
  // Linear in effect: no backtracking into every star.
  EXPECT_FALSE(glob_matches(std::string(2'000, '*') + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace plimsoll::specgen
