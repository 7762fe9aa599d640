// A text names a tier exactly when it is that tier's name, and "unknown" is nobody's to ask for.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/isolation.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tier = plimsoll::parse_isolation(text);
  const bool is_a_name = text == "none" || text == "process" || text == "container" ||
                         text == "kernel" || text == "vm";
  require(tier.has_value() == is_a_name, "the five names and no other");
  if (!tier) return 0;
  require(to_string(*tier) == text, "parse, print: the same text");
  require(*tier != plimsoll::Isolation::kUnknown, "nobody asks for unknown");
  return 0;
}
