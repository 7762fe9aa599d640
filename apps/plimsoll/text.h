// Text forms of bytes, for JSON.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::cli {

// RFC 4648 section 4, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);

// Whether `bytes` are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most
// U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace plimsoll::cli
