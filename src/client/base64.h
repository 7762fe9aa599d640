// The base64 of the details of a Connect error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::client {

// RFC 4648 section 4, padded or not, as Connect allows. nullopt: a character of another alphabet,
// wrong padding, or bits that are left over.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace plimsoll::client
