#include "text.h"

#include <cstdint>

namespace plimsoll::cli {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t byte_at(std::string_view bytes, std::size_t at) noexcept {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

// RFC 3629 section 4: the lead byte fixes the length and the range of the second byte.
struct Lead {
  std::size_t length;  // 0: cannot lead
  std::uint32_t second_least;
  std::uint32_t second_most;
};

constexpr Lead lead_of(std::uint32_t byte) noexcept {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group =
        byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    text += kAlphabet[group >> 18];
    text += kAlphabet[group >> 12 & 63];
    text += at + 1 < bytes.size() ? kAlphabet[group >> 6 & 63] : '=';
    text += at + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
  }
  return text;
}

bool is_utf8(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Lead lead = lead_of(byte_at(bytes, at));
    if (lead.length == 0 || lead.length > bytes.size() - at) return false;
    for (std::size_t i = 1; i < lead.length; ++i) {
      const std::uint32_t byte = byte_at(bytes, at + i);
      const std::uint32_t least = i == 1 ? lead.second_least : 0x80;
      const std::uint32_t most = i == 1 ? lead.second_most : 0xBF;
      if (byte < least || byte > most) return false;
    }
    at += lead.length;
  }
  return true;
}

}  // namespace plimsoll::cli
