// Writes JSON strings that nothing in them can break out of: the result is ASCII without control
// characters, whatever the bytes were. Stops forged log lines (newline, quote), terminal escapes
// (ESC) and line separators that some readers split at (U+0085, U+2028).
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

// Appends `bytes` as a JSON string (RFC 8259, 7) with its quotes. What is not UTF-8 becomes U+FFFD,
// a byte at a time; what is not visible ASCII or a blank becomes \uXXXX, in a surrogate pair from
// U+10000 on. At most six bytes for one of `bytes`, and two.
void append_json_string(std::string& out, std::string_view bytes);

[[nodiscard]] std::string json_string(std::string_view bytes);

}  // namespace plimsoll
