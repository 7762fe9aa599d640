#include "specgen/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "plimsoll/grant.h"
#include "specgen/api_reader.h"
#include "specgen/document_reader.h"
#include "specgen/expansion.h"
#include "specgen/names.h"
#include "specgen/schema_names.h"

namespace plimsoll::specgen {
namespace {

bool matches(const std::string& pattern, const Operation& operation) {
  return glob_matches(pattern, operation.name) || glob_matches(pattern, operation.path) ||
         glob_matches(pattern, operation.method + " " + operation.path);
}

bool any_matches(const std::vector<std::string>& patterns, const Operation& operation) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return matches(one, operation); });
}

void select(const GenerateOptions& options, Api& api, Diagnostics& diagnostics) {
  for (Operation& operation : api.operations) {
    operation.selected = (options.include.empty() || any_matches(options.include, operation)) &&
                         !any_matches(options.exclude, operation);
  }
  for (const auto* patterns : {&options.include, &options.exclude}) {
    for (const std::string& pattern : *patterns) {
      const bool used = std::ranges::any_of(
          api.operations, [&](const Operation& one) { return matches(pattern, one); });
      if (!used)
        diagnostics.warn({}, fmt::format("the pattern {} matches nothing", quoted(pattern)));
    }
  }
}

void check_bounds(const Api& api, const EmitOptions& options, Diagnostics& diagnostics) {
  const std::size_t routes = routes_of(api, Which::kSelected).size();
  if (routes > kMaxRoutes) {
    diagnostics.warn({}, fmt::format("the allow list has {} routes, and a grant takes {} at most; "
                                     "trim it with -include or -exclude",
                                     routes, kMaxRoutes));
  }
  const std::size_t catalog = routes_of(api, Which::kAll).size();
  if (catalog > kMaxRoutes && routes <= kMaxRoutes) {
    diagnostics.warn({}, fmt::format("the catalog has {} routes, and a profile takes {} at most; "
                                     "it is not in the profile",
                                     catalog, kMaxRoutes));
  }
  std::ostringstream preamble;
  emit_preamble(api, options, preamble);
  const std::size_t bytes = preamble.view().size();
  if (bytes > kMaxPreambleBytes) {
    diagnostics.warn({}, fmt::format("the preamble has {} bytes, and a grant takes {} at most; "
                                     "trim it with -include or -exclude",
                                     bytes, kMaxPreambleBytes));
  }
}

void check_origin(const Api& api, Diagnostics& diagnostics) {
  const std::string& origin = api.server.origin;
  if (origin.empty()) {
    diagnostics.warn(
        {}, fmt::format("the document names no server; base_url is {}, to be replaced", kNoOrigin));
  } else if (origin.starts_with("http:") && !is_loopback_origin(origin)) {
    diagnostics.warn({}, fmt::format("the server is {}; a grant's base_url is https, and is "
                                     "written so",
                                     origin));
  }
}

}  // namespace

std::optional<Generator> Generator::read(std::string_view bytes, const GenerateOptions& options,
                                         Diagnostics& diagnostics) {
  auto read = read_document(bytes, options.limits, diagnostics);
  if (!read) return std::nullopt;
  auto document = std::make_unique<Document>(std::move(*read));
  auto refs = std::make_unique<Refs>(*document, diagnostics);
  Expansion expansion(*refs, options.limits.max_expanded);
  Api api = read_api(*document, *refs, expansion, diagnostics);
  select(options, api, diagnostics);
  // Follows every "$ref" that types and descriptions will.
  const SchemaNames names(api, *refs);
  if (diagnostics.has_errors()) return std::nullopt;
  for (const Node* schema : names.schemas()) {
    if (expansion.add(*schema)) continue;
    diagnostics.error(schema->mark,
                      fmt::format("the operations and the schemas up to here have more than {} "
                                  "values, each within another counted again",
                                  expansion.most()));
    return std::nullopt;
  }
  check_bounds(api, options.emit, diagnostics);
  check_origin(api, diagnostics);
  return Generator(std::move(document), std::move(refs), std::move(api), options.emit);
}

void Generator::emit(Artifact artifact, std::ostream& out) {
  specgen::emit(artifact, api_, *refs_, options_, out);
}

}  // namespace plimsoll::specgen
