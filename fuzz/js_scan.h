// Whether text that a generator wrote is still code of the shape that it wrote: every string,
// comment and bracket ends, where the language says that it does. No parser: what it accepts may be
// wrong in other ways, and Node.js reads the golden files.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::fuzz {

// Of code without regular expressions and template literals; `comment` of the /* */ kind may not
// hold "*/", a line's may not hold a separator, which the caller checks by what stands outside.
[[nodiscard]] inline bool is_balanced_code(std::string_view code) {
  std::string open;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (code.substr(i, 2) == "//") {
      i = code.find('\n', i);
      if (i == std::string_view::npos) return open.empty();
    } else if (code.substr(i, 2) == "/*") {
      i = code.find("*/", i + 2);
      if (i == std::string_view::npos) return false;
      ++i;
    } else if (c == '"') {
      for (++i; i < code.size() && code[i] != '"'; ++i) {
        if (code[i] == '\\') ++i;
        if (i >= code.size() || code[i] == '\n') return false;
      }
      if (i >= code.size()) return false;
    } else if (c == '`' || c == '\'' || c == '\\') {
      return false;
    } else if (c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

// No control character but the line feed, no separator that ends a line of JavaScript.
[[nodiscard]] inline bool is_clean_text(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7F) return false;
  }
  return text.find("\xE2\x80\xA8") == std::string_view::npos &&
         text.find("\xE2\x80\xA9") == std::string_view::npos;
}

}  // namespace plimsoll::fuzz
