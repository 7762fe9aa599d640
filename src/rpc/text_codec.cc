#include "rpc/text_codec.h"

#include <array>
#include <cstdint>

namespace plimsoll::rpc {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHex = "0123456789ABCDEF";

std::uint32_t byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

int base64url_digit(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  return c == '_' ? 63 : -1;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_hex(std::string& out, unsigned char byte) {
  out += kHex[byte >> 4U];
  out += kHex[byte & 15U];
}

// The size of the character that starts at `at`; 0 when it is not valid UTF-8.
std::size_t utf8_size(std::string_view text, std::size_t at) noexcept {
  const std::uint32_t first = byte_at(text, at);
  if (first < 0x80) return 1;
  std::size_t size = 0;
  std::uint32_t low = 0x80;
  std::uint32_t high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    size = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    size = 3;
    if (first == 0xE0) low = 0xA0;   // no overlong form
    if (first == 0xED) high = 0x9F;  // no surrogate
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() - at < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint32_t next = byte_at(text, at + i);
    if (next < low || next > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return size;
}

void append_json_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7F) {
    out += c;
    return;
  }
  out += "\\u00";
  append_hex(out, byte);
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group =
        byte_at(bytes, i) << 16U | byte_at(bytes, i + 1) << 8U | byte_at(bytes, i + 2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += kAlphabet[group >> shift & 63U];
  }
  if (bytes.size() - i == 1) {
    const std::uint32_t group = byte_at(bytes, i) << 16U;
    for (const unsigned shift : {18U, 12U}) out += kAlphabet[group >> shift & 63U];
  } else if (bytes.size() - i == 2) {
    const std::uint32_t group = byte_at(bytes, i) << 16U | byte_at(bytes, i + 1) << 8U;
    for (const unsigned shift : {18U, 12U, 6U}) out += kAlphabet[group >> shift & 63U];
  }
  return out;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  const std::size_t end = text.find('=');
  if (end != std::string_view::npos) {
    const std::string_view padding = text.substr(end);
    if (text.size() % 4 != 0 || (padding != "=" && padding != "==")) return std::nullopt;
    text = text.substr(0, end);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const int digit = base64url_digit(c);
    if (digit < 0) return std::nullopt;
    group = (group << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 0xFFU);
    }
  }
  if ((group & ((1U << bits) - 1U)) != 0) return std::nullopt;
  return out;
}

std::string grpc_percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c >= 0x20 && c <= 0x7E && c != '%') {
      out += c;
    } else {
      out += '%';
      append_hex(out, static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::optional<std::string> query_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_size(text, i);
    if (size == 1) {
      append_json_ascii(out, text[i]);
    } else if (size == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(i, size);
    }
    i += size == 0 ? 1 : size;
  }
  out += '"';
  return out;
}

std::size_t utf8_prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = utf8_size(text, at);
    if (size == 0) break;
    at += size;
  }
  return at;
}

}  // namespace plimsoll::rpc
