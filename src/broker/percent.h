// The canonical percent-encoding of a query's names and values (RFC 3986, 2.1 and 2.3): unreserved
// bytes stand for themselves, everything else is %XX with upper-case digits. A text has exactly one
// such form, so what is approved can be compared with what is sent, byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// A-Z a-z 0-9 - . _ ~
[[nodiscard]] bool is_unreserved(char c) noexcept;

[[nodiscard]] std::string percent_encode(std::string_view bytes);

// The bytes of which `text` is the canonical form; nullopt when it is that of none.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

}  // namespace plimsoll
