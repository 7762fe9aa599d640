// The answer to Describe, decoded.
#pragma once

#include <expected>
#include <string_view>

#include "plimsoll/client.h"

namespace plimsoll::client {

// A plimsoll.v1.DescribeResponse. Errors: kInfrastructure for what makes no sense; kUnsupported for
// a service that speaks another protocol; kEvidenceMismatch when the evidence is missing or of
// another tier than the one that the answer names.
[[nodiscard]] ClientResult<Description> decode_description(std::string_view bytes);

}  // namespace plimsoll::client
