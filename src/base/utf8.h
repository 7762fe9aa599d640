// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, at most U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll {

// The first character of a text; not a copy of it.
struct Utf8Character {
  char32_t code_point = 0;
  std::size_t size = 0;  // bytes, 1 to 4
  bool valid = false;    // false: one byte that begins no character
};

// `bytes` is not empty.
[[nodiscard]] Utf8Character first_utf8_character(std::string_view bytes) noexcept;

[[nodiscard]] bool is_valid_utf8(std::string_view bytes) noexcept;

}  // namespace plimsoll
