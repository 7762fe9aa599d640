#include "base/utf8.h"

#include <cassert>

namespace plimsoll {
namespace {

// How many bytes the lead byte announces, and the least code point that needs as many.
struct Lead {
  std::size_t size;
  unsigned bits;
  char32_t least;
};

constexpr Lead lead_of(unsigned byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Character first_utf8_character(std::string_view bytes) noexcept {
  assert(!bytes.empty());
  constexpr Utf8Character kInvalid{.code_point = 0, .size = 1, .valid = false};
  const Lead lead = lead_of(static_cast<unsigned char>(bytes[0]));
  if (lead.size == 0 || lead.size > bytes.size()) return kInvalid;
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const unsigned byte = static_cast<unsigned char>(bytes[i]);
    if ((byte & 0xC0U) != 0x80) return kInvalid;
    code_point = code_point << 6 | (byte & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < lead.least || code_point > 0x10FFFF || surrogate) return kInvalid;
  return {.code_point = code_point, .size = lead.size, .valid = true};
}

bool is_valid_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const Utf8Character character = first_utf8_character(bytes);
    if (!character.valid) return false;
    bytes.remove_prefix(character.size);
  }
  return true;
}

}  // namespace plimsoll
