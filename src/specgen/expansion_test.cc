#include "specgen/expansion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "specgen/document_reader.h"
#include "specgen/generator.h"

namespace plimsoll::specgen {
namespace {

// 40 values in one parameter, at as many paths as are wanted.
std::string shared_parameter(int paths) {
  std::string text = "openapi: 3.0.0\nservers: [{url: 'https://a.example'}]\npaths:\n";
  for (int i = 0; i < paths; ++i) {
    text += fmt::format(
        "  /a{}: {{get: {{parameters: [{{$ref: '#/components/parameters/Q'}}]}}}}\n", i);
  }
  text += "components: {parameters: {Q: {name: q, in: query, schema: {enum: [0";
  for (int i = 1; i < 40; ++i) text += fmt::format(", {}", i);
  return text + "]}}}}\n";
}

std::string fault(const std::string& document, std::size_t most) {
  GenerateOptions options;
  options.limits.max_expanded = most;
  Diagnostics diagnostics;
  const auto generator = Generator::read(document, options, diagnostics);
  return generator ? "" : to_text(diagnostics.all().front());
}

TEST(Expansion, CountsARefOfAnOperationAsWhatItStandsFor) {
  EXPECT_EQ(fault(shared_parameter(10), 1000), "");
  EXPECT_EQ(fault(shared_parameter(30), 1000),
            "line 24, column 10: error: the operations up to here have more than 1000 values, each "
            "$ref counted as what it stands for");
}

// An operation whose summary has `bytes`.
std::string summary_of(std::size_t bytes) {
  return fmt::format(R"({{"openapi":"3.0.0","paths":{{"/a":{{"get":{{"summary":"{}"}}}}}}}})",
                     std::string(bytes, 'x'));
}

TEST(Expansion, CountsText) {
  EXPECT_NE(fault(summary_of(64'000), 900), "");
  EXPECT_EQ(fault(summary_of(64'000), 1100), "");
}

// Each of the levels is a schema of its own, and holds those below.
TEST(Expansion, CountsSchemasWithinEachOther) {
  std::string schema = "{type: string}";
  std::string refs;
  std::string path = "#/components/schemas/A";
  for (int i = 0; i < 30; ++i) {
    schema = fmt::format("{{items: {}}}", schema);
    refs += fmt::format("{{$ref: '{}'}}, ", path);
    path += "/items";
  }
  const std::string document = fmt::format(
      "openapi: 3.0.0\n"
      "paths: {{/a: {{get: {{requestBody: {{content: {{application/json:"
      " {{schema: {{oneOf: [{}]}}}}}}}}}}}}}}\n"
      "components: {{schemas: {{A: {}}}}}\n",
      refs, schema);
  EXPECT_EQ(fault(document, 1000), "");
  EXPECT_NE(fault(document, 300).find("each within another counted again"), std::string::npos);
}

TEST(Expansion, EndsAtACircleOfRefs) {
  EXPECT_EQ(
      fault("openapi: 3.0.0\npaths: {/a: {get: {requestBody: {$ref: '#/paths/~1a/get/requestBody'"
            "}}}}\n",
            1000),
      "line 2, column 40: error: $ref '#/paths/~1a/get/requestBody' comes back to itself");
}

}  // namespace
}  // namespace plimsoll::specgen
