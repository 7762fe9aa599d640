#include "specgen/text.h"

#include "base/json_text.h"
#include "base/utf8.h"

namespace plimsoll::specgen {
namespace {

bool is_space(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Marks that are not seen but change what is.
bool is_unseen(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) ||
         (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || (c >= 0xE0000 && c <= 0xE0FFF);
}

// The end of the last sentence that ends at or before `most`; 0: none does.
std::size_t end_of_sentence(std::string_view line, std::size_t most) {
  for (std::size_t end = most; end > 1; --end) {
    const char last = line[end - 1];
    const bool stops = last == '.' || last == '!' || last == '?';
    if (stops && (end == line.size() || line[end] == ' ')) return end;
  }
  return 0;
}

std::size_t character_start(std::string_view line, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  bool gap = false;
  while (!text.empty()) {
    const Utf8Character character = first_utf8_character(text);
    const std::string_view bytes = text.substr(0, character.size);
    text.remove_prefix(character.size);
    if (!character.valid || is_space(character.code_point)) {
      gap = true;
    } else if (!is_unseen(character.code_point)) {
      if (gap && !line.empty()) line += ' ';
      gap = false;
      line += bytes;
    }
  }
  return line;
}

std::string plain_line(std::string_view text) {
  std::string plain;
  for (const char from : one_line(text)) {
    const char c = from == '`' || from == '"' ? '\'' : from == '\\' ? '/' : from;
    const char last = plain.empty() ? ' ' : plain.back();
    if ((last == '*' && c == '/') || (last == '/' && c == '*') || (last == '$' && c == '{')) {
      plain += ' ';
    }
    plain += c;
  }
  return plain;
}

std::string cut_at_word(std::string_view line, std::size_t most) {
  if (line.size() <= most) return std::string(line);
  static constexpr std::string_view kDots = "...";
  if (most <= kDots.size()) return std::string(line.substr(0, character_start(line, most)));
  std::size_t end = line.rfind(' ', most - kDots.size());
  if (end == std::string_view::npos || end == 0) end = character_start(line, most - kDots.size());
  std::string cut(line.substr(0, end));
  while (cut.ends_with(' ') || cut.ends_with(',')) cut.pop_back();
  return cut += kDots;
}

std::string cut_at_sentence(std::string_view line, std::size_t most) {
  if (line.size() <= most) return std::string(line);
  const std::size_t end = end_of_sentence(line, most);
  return end != 0 ? std::string(line.substr(0, end)) : cut_at_word(line, most);
}

std::string js_string(std::string_view text) {
  std::string literal = json_string(text);
  for (std::size_t at = 0; (at = literal.find("*/", at)) != std::string::npos; at += 3) {
    literal.replace(at, 2, "*\\/");
  }
  return literal;
}

}  // namespace plimsoll::specgen
