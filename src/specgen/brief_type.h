// Schemas in a few words, for the description that a model reads: what types.d.ts says whole.
#pragma once

#include <string>

#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

// "string", "'asc' | 'desc'", "{id: number, name?: string, ...}", "{...}[]". Follows refs, at most
// `depth` objects deep; of an object with many fields the first. At most about 200 bytes.
[[nodiscard]] std::string brief_type(const Node* schema, Refs& refs, unsigned depth);

}  // namespace plimsoll::specgen
