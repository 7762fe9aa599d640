// The command's values: whatever is accepted is in range and reads back as the same value; whatever
// is not has an error that quotes it.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../apps/plimsoll/values.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void check_duration(std::string_view text) {
  const auto value = plimsoll::cli::parse_duration(text);
  if (!value) {
    require(value.error().find(text) != std::string::npos, "the error quotes the text");
    return;
  }
  require(*value >= plimsoll::Millis{1} && *value <= plimsoll::Millis{86'400'000}, "1 ms to 24 h");
  require(is_digits(text.substr(0, text.find_first_of("ms"))), "only digits before the unit");
  require(plimsoll::cli::parse_duration(fmt::format("{}ms", value->count())) == *value,
          "the same duration in milliseconds");
}

void check_count(std::string_view text) {
  const auto value = plimsoll::cli::parse_count(text);
  if (!value) {
    require(value.error().find(text) != std::string::npos, "the error quotes the text");
    return;
  }
  require(is_digits(text), "only digits");
  const std::size_t zeros = text.find_first_not_of('0');
  const std::string_view number = zeros == std::string_view::npos ? "0" : text.substr(zeros);
  require(fmt::format("{}", *value) == number, "the number that was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_duration(text);
  check_count(text);
  const auto tier = plimsoll::cli::parse_tier(text);
  require(tier.has_value() == plimsoll::parse_isolation(text).has_value(), "tiers by their names");
  require(plimsoll::cli::parse_provider(text).has_value() == (text == "wasm"), "one provider");
  return 0;
}
