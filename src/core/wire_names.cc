#include "core/wire_names.h"

#include <algorithm>

#include "core/wire_limits.h"

namespace plimsoll {
namespace {

// Not the locale's idea of a letter.
bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// 1 to `max` letters, digits and characters of `others`.
bool is_name(std::string_view text, std::size_t max, std::string_view others) noexcept {
  return !text.empty() && text.size() <= max && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<WireName> WireName::parse(std::string_view text) {
  if (!is_name(text, kMaxProfileNameBytes, "._-")) return std::nullopt;
  return WireName(text);
}

std::optional<TraceId> TraceId::parse(std::string_view text) {
  if (!is_name(text, kMaxTraceIdBytes, "._:-")) return std::nullopt;
  return TraceId(text);
}

}  // namespace plimsoll
