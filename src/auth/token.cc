#include "auth/token.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::string_view kScheme = "bearer";
constexpr std::string_view kBlanks = " \t";

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

bool is_token(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxTokenBytes &&
         std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

std::optional<std::string_view> bearer_token(std::string_view field_value) noexcept {
  const std::string_view credentials = trimmed(field_value);
  if (credentials.size() <= kScheme.size() ||
      !std::ranges::equal(credentials.substr(0, kScheme.size()), kScheme, {}, lower)) {
    return std::nullopt;
  }
  std::string_view rest = credentials.substr(kScheme.size());
  const auto first = rest.find_first_not_of(' ');
  if (first == 0 || first == std::string_view::npos) return std::nullopt;
  rest = rest.substr(first);
  if (!is_token(rest)) return std::nullopt;
  return rest;
}

TokenFingerprint TokenFingerprint::of(std::string_view token) {
  return TokenFingerprint(sha256(token));
}

std::optional<TokenFingerprint> TokenFingerprint::from_hex(std::string_view hex) noexcept {
  Sha256Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return TokenFingerprint(digest);
}

bool TokenFingerprint::matches(const TokenFingerprint& other) const noexcept {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < digest_.size(); ++i) {
    // Through volatile, so that the compiler does not turn the loop into one that stops early.
    const volatile std::uint8_t mine = digest_[i];
    difference = static_cast<std::uint8_t>(difference | (mine ^ other.digest_[i]));
  }
  return difference == 0;
}

}  // namespace plimsoll
