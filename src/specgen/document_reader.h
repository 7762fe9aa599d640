// Reads the bytes of a document: JSON (RFC 8259) when the first of them that is no white space is
// '{' or '[', else YAML 1.2. Strict where readers differ: a repeated key, a merge key, a second
// document and what is not UTF-8 are errors.
#pragma once

#include <optional>
#include <string_view>

#include "specgen/diagnostics.h"
#include "specgen/document.h"

namespace plimsoll::specgen {

// nullopt: the reason is an error in `diagnostics`.
[[nodiscard]] std::optional<Document> read_document(std::string_view bytes,
                                                    const DocumentLimits& limits,
                                                    Diagnostics& diagnostics);

// The two kinds of text; `bytes` are UTF-8 and within the limits.
[[nodiscard]] std::optional<Document> read_json(std::string_view bytes,
                                                const DocumentLimits& limits,
                                                Diagnostics& diagnostics);
[[nodiscard]] std::optional<Document> read_yaml(std::string_view bytes,
                                                const DocumentLimits& limits,
                                                Diagnostics& diagnostics);

}  // namespace plimsoll::specgen
