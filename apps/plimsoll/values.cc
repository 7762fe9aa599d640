#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace plimsoll::cli {
namespace {

constexpr std::int64_t kMaxDurationMs = std::int64_t{24} * 60 * 60 * 1000;

// Digits only: no sign, no space, nothing behind.
template <class Number>
std::optional<Number> parse_digits(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

struct Unit {
  std::string_view suffix;
  std::int64_t factor_ms;
};
// "ms" stands before "s" and "m": the first suffix that fits is taken.
constexpr std::array kUnits = {Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"m", 60'000}};

}  // namespace

Parsed<Millis> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto number =
        parse_digits<std::int64_t>(text.substr(0, text.size() - unit.suffix.size()));
    if (!number || *number < 1 || *number > kMaxDurationMs / unit.factor_ms) break;
    return Millis{*number * unit.factor_ms};
  }
  return std::unexpected(fmt::format(
      "'{}' is no duration; a whole number with its unit is accepted: 500ms, 10s, 1m", text));
}

Parsed<std::uint32_t> parse_count(std::string_view text) {
  if (const auto number = parse_digits<std::uint32_t>(text)) return *number;
  return std::unexpected(fmt::format("'{}' is no count; digits are accepted, 0 to {}", text,
                                     std::numeric_limits<std::uint32_t>::max()));
}

Parsed<Isolation> parse_tier(std::string_view text) {
  if (const auto tier = parse_isolation(text)) return *tier;
  return std::unexpected(
      fmt::format("'{}' is no tier; none, process, container, kernel, vm are accepted", text));
}

Parsed<ProviderKind> parse_provider(std::string_view text) {
  if (text == "wasm") return ProviderKind::kWasm;
  if (text == "docker") return ProviderKind::kDocker;
  if (text == "microvm") return ProviderKind::kMicrovm;
  return std::unexpected(fmt::format(
      "'{}' is no provider of this build; wasm, docker and microvm are accepted", text));
}

}  // namespace plimsoll::cli
