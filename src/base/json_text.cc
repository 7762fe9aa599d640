#include "base/json_text.h"

#include "base/utf8.h"

namespace plimsoll {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append_unit(std::string& out, char32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[unit >> shift & 15];
}

void append_escaped(std::string& out, char32_t code_point) {
  if (code_point == '"' || code_point == '\\') {
    out += '\\';
    out += static_cast<char>(code_point);
  } else if (code_point == '\n') {
    out += "\\n";
  } else if (code_point >= 0x20 && code_point < 0x7F) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x10000) {
    append_unit(out, code_point);
  } else {
    append_unit(out, 0xD800 + ((code_point - 0x10000) >> 10));
    append_unit(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view bytes) {
  out += '"';
  while (!bytes.empty()) {
    const Utf8Character character = first_utf8_character(bytes);
    append_escaped(out, character.valid ? character.code_point : kReplacement);
    bytes.remove_prefix(character.size);
  }
  out += '"';
}

std::string json_string(std::string_view bytes) {
  std::string text;
  append_json_string(text, bytes);
  return text;
}

}  // namespace plimsoll
