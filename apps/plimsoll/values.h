// The values of flags, parsed once into strong types. Each error says what is accepted.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "plimsoll/isolation.h"
#include "plimsoll/request.h"
#include "plimsoll/sandbox.h"

namespace plimsoll::cli {

template <class T>
using Parsed = std::expected<T, std::string>;

// A whole number and its unit: "500ms", "10s", "1m". At least 1 ms, at most 24 hours; a number
// without a unit is refused, so that nobody waits seconds for milliseconds.
[[nodiscard]] Parsed<Millis> parse_duration(std::string_view text);

// Decimal digits only, 0 to 4294967295; the library judges the range.
[[nodiscard]] Parsed<std::uint32_t> parse_count(std::string_view text);

// A tier by its name; "unknown" is not accepted.
[[nodiscard]] Parsed<Isolation> parse_tier(std::string_view text);

// A provider of this build by its id.
[[nodiscard]] Parsed<ProviderKind> parse_provider(std::string_view text);

}  // namespace plimsoll::cli
