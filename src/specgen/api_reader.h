// From a document to what a grant and its client can express of it.
#pragma once

#include "specgen/api_model.h"
#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/expansion.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

// Reads OpenAPI 3.0 and 3.1. What cannot be expressed is counted in Api::skipped, and a warning
// says why; what makes the document unusable is an error: another version, refs that leave the
// document, a health check that is not exactly one GET without parameters,
// operations that come to more than `expansion` takes.
[[nodiscard]] Api read_api(const Document& document, Refs& refs, Expansion& expansion,
                           Diagnostics& diagnostics);

}  // namespace plimsoll::specgen
