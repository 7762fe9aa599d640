// Content codings: what a client sent, and what it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::rpc {

enum class Encoding : std::uint8_t { kIdentity, kGzip };

// "identity", "gzip".
[[nodiscard]] std::string_view to_string(Encoding encoding) noexcept;
// The names of all of them, for an error and for Accept-Encoding: "gzip, identity" without the
// blank.
inline constexpr std::string_view kSupportedEncodings = "gzip,identity";

// A single coding; empty is identity. nullopt: not supported.
[[nodiscard]] std::optional<Encoding> parse_encoding(std::string_view name) noexcept;

// The first coding of an accept list that we have; what has a weight of zero is not taken (RFC 9110
// section 12.5.3). kIdentity when there is none.
[[nodiscard]] Encoding choose_encoding(std::string_view accept_list) noexcept;

}  // namespace plimsoll::rpc
