// The emitters, over whatever document is readable: every route is one that the broker takes, the
// client and its types are code of the shape that was written whatever the document's text says,
// and the description keeps to its size.
#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "base/utf8.h"
#include "broker/allow_list.h"
#include "js_scan.h"
#include "plimsoll/grant.h"
#include "require.h"
#include "specgen/generator.h"
#include "specgen/names.h"

namespace {

using plimsoll::fuzz::require;
using namespace plimsoll::specgen;  // NOLINT(google-build-using-namespace)

std::string emitted(Generator& generator, Artifact artifact) {
  std::ostringstream out;
  generator.emit(artifact, out);
  std::string text = out.str();
  require(plimsoll::is_valid_utf8(text), "UTF-8");
  require(plimsoll::fuzz::is_clean_text(text), "no control character");
  return text;
}

void check_routes(const Api& api) {
  std::vector<std::string> lines;
  for (const Route& route : routes_of(api, Which::kAll)) lines.push_back(route.text());
  if (lines.size() > plimsoll::kMaxRoutes) return;
  std::vector<std::string> mistakes;
  (void)plimsoll::AllowList::parse("allow", lines, mistakes);
  require(mistakes.empty(), "the broker takes every route");
  std::set<std::string> names;
  for (const Operation& one : api.operations) {
    require(is_identifier(one.name) && !is_refused_name(one.name), "a method's name");
    require(names.insert(one.name).second, "no name twice");
  }
}

// What is the document's of the client: all behind the code that is always there.
std::string_view methods_of(std::string_view preamble) {
  static constexpr std::string_view kEnd = "return $call(method, target, body);\n};\n";
  return preamble.substr(preamble.find(kEnd) + kEnd.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  GenerateOptions options;
  options.limits = {
      .max_bytes = 65'536, .max_nodes = 5'000, .max_depth = 24, .max_expanded = 20'000};
  options.emit.max_description = kMinDescriptionBytes;
  Diagnostics diagnostics;
  auto generator = Generator::read(input, options, diagnostics);
  for (const Diagnostic& one : diagnostics.all()) {
    require(one.message.find('\n') == std::string::npos, "a message on one line");
    require(plimsoll::fuzz::is_clean_text(one.message), "a message for a terminal");
  }
  require(generator.has_value() != diagnostics.has_errors(), "a result or an error");
  if (!generator) return 0;
  check_routes(generator->api());
  const std::string preamble = emitted(*generator, Artifact::kPreamble);
  require(preamble.starts_with("// Made by"), "the title is in a comment");
  require(preamble.substr(preamble.find('\n') + 1).starts_with("const { call"), "and ends there");
  require(plimsoll::fuzz::is_balanced_code(methods_of(preamble)), "the client is code");
  require(plimsoll::fuzz::is_balanced_code(emitted(*generator, Artifact::kTypes)),
          "the types are code");
  require(emitted(*generator, Artifact::kDescription).size() <= kMinDescriptionBytes,
          "the description's limit");
  for (const Artifact artifact : {Artifact::kGrants, Artifact::kAllow, Artifact::kCatalog}) {
    require(plimsoll::parse_json(emitted(*generator, artifact),
                                 {.max_bytes = 1U << 24, .max_depth = 8, .max_values = 100'000})
                .has_value(),
            "JSON");
  }
  return 0;
}
