#include "broker/percent.h"

namespace plimsoll {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

std::optional<unsigned> hex_value(char c) {
  const auto at = kDigits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

}  // namespace

bool is_unreserved(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string percent_encode(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (is_unreserved(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_unreserved(text[i])) {
      bytes += text[i];
      continue;
    }
    if (text[i] != '%' || text.size() - i < 3) return std::nullopt;
    const auto high = hex_value(text[i + 1]);
    const auto low = hex_value(text[i + 2]);
    if (!high || !low) return std::nullopt;
    const auto byte = static_cast<char>(*high * 16 + *low);
    if (is_unreserved(byte)) return std::nullopt;  // a second spelling of what stands for itself
    bytes += byte;
    i += 2;
  }
  return bytes;
}

}  // namespace plimsoll
