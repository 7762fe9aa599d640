#include "rpc/timeout.h"

#include <algorithm>
#include <cstdint>

namespace plimsoll::rpc {

namespace {

std::optional<std::int64_t> parse_digits(std::string_view text, std::size_t max_digits) noexcept {
  if (text.empty() || text.size() > max_digits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_connect_timeout(std::string_view text) noexcept {
  const auto value = parse_digits(text, 10);
  if (!value || *value == 0) return std::nullopt;
  return std::chrono::milliseconds(*value);
}

std::optional<std::chrono::milliseconds> parse_grpc_timeout(std::string_view text) noexcept {
  if (text.size() < 2) return std::nullopt;
  const auto value = parse_digits(text.substr(0, text.size() - 1), 8);
  if (!value) return std::nullopt;
  std::int64_t ms = 0;
  switch (text.back()) {
    case 'H':
      ms = *value * 3'600'000;
      break;
    case 'M':
      ms = *value * 60'000;
      break;
    case 'S':
      ms = *value * 1'000;
      break;
    case 'm':
      ms = *value;
      break;
    case 'u':
      ms = (*value + 999) / 1'000;
      break;
    case 'n':
      ms = (*value + 999'999) / 1'000'000;
      break;
    default:
      return std::nullopt;
  }
  return std::chrono::milliseconds(std::max<std::int64_t>(ms, 1));
}

}  // namespace plimsoll::rpc
