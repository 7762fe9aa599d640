// Base64, percent encoding and JSON strings, as the protocols use them. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::rpc {

// RFC 4648 section 4, without padding: what Connect and gRPC write.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
// RFC 4648 section 5 (base64url), padded or not. nullopt: a character of another alphabet, wrong
// padding, or bits that are left over.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

// grpc-message: every byte but printable ASCII, and '%', as %XX (gRPC over HTTP/2).
[[nodiscard]] std::string grpc_percent_encode(std::string_view text);
// A component of a query: %XX, and '+' for a blank. nullopt: a '%' without two hex digits.
[[nodiscard]] std::optional<std::string> query_decode(std::string_view text);

// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so the result is valid
// JSON whatever comes in.
[[nodiscard]] std::string json_quote(std::string_view text);
// The longest prefix of `text` that is valid UTF-8 (RFC 3629).
[[nodiscard]] std::size_t utf8_prefix(std::string_view text) noexcept;

}  // namespace plimsoll::rpc
