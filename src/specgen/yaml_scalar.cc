#include "specgen/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>

namespace plimsoll::specgen {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
std::string decimal(std::string_view text) {
  std::string number;
  if (text.starts_with('-')) number = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string_view whole = text.substr(0, digits(text));
  text.remove_prefix(whole.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    fraction = text.substr(1, digits(text.substr(1)));
    text.remove_prefix(1 + fraction.size());
  }
  if (whole.empty() && fraction.empty()) return {};
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  number += whole.empty() ? "0" : whole;
  if (!fraction.empty()) number.append(".").append(fraction);
  if (text.empty()) return number;
  if (text.front() != 'e' && text.front() != 'E') return {};
  text.remove_prefix(1);
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  const std::size_t exponent = digits(text.substr(is_signed ? 1 : 0));
  if (exponent == 0 || exponent + (is_signed ? 1 : 0) != text.size()) return {};
  return number.append("e").append(text);
}

std::string with_base(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = std::to_address(text.end());
  const auto [at, error] = std::from_chars(std::to_address(text.begin()), end, value, base);
  return error == std::errc{} && at == end ? std::to_string(value) : std::string();
}

}  // namespace

ScalarValue value_of_plain_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL", ".nan", ".NaN", ".NAN", ".inf", ".Inf",
                       ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"})) {
    return {.kind = Kind::kNull, .text = {}};
  }
  if (is_one_of(text, {"true", "True", "TRUE"})) return {.kind = Kind::kBool, .text = "true"};
  if (is_one_of(text, {"false", "False", "FALSE"})) return {.kind = Kind::kBool, .text = "false"};
  std::string number = text.starts_with("0x")   ? with_base(text.substr(2), 16)
                       : text.starts_with("0o") ? with_base(text.substr(2), 8)
                                                : decimal(text);
  if (!number.empty()) return {.kind = Kind::kNumber, .text = std::move(number)};
  return {.kind = Kind::kString, .text = std::string(text)};
}

}  // namespace plimsoll::specgen
