// Text of a document, made harmless for where it goes: it was written by somebody else, and may try
// to end a comment, a string or a line, or to drive a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::specgen {

// The words of `text` on one line: white space, control characters, line and paragraph separators
// (U+2028, U+2029, U+0085) and what is not UTF-8 become one blank; what changes the direction of
// text (U+202A to U+202E, U+2066 to U+2069), U+FEFF and noncharacters are left out. Valid UTF-8.
[[nodiscard]] std::string one_line(std::string_view text);

// one_line() that stays harmless in a comment of JavaScript and in a template literal or a quoted
// text: no "*/", no "/*", no backtick, no "${", no backslash, no double quote.
[[nodiscard]] std::string plain_line(std::string_view text);

// `line`, if it has at most `most` bytes; else its first sentences that fit, else its first words
// and "...". Never cuts a word or a character, unless the first word alone is too long.
[[nodiscard]] std::string cut_at_sentence(std::string_view line, std::size_t most);
[[nodiscard]] std::string cut_at_word(std::string_view line, std::size_t most);

// A JavaScript (and JSON) string literal in double quotes; ASCII, without "*/".
[[nodiscard]] std::string js_string(std::string_view text);

}  // namespace plimsoll::specgen
