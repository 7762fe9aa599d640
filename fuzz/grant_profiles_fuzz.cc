// The profiles file: what is accepted is valid all through, what is not has mistakes that are one
// line of ASCII each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire_names.h"
#include "grants/profile_words.h"
#include "grants/profiles_reader.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const auto is_plain = [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n'; };
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto [profiles, mistakes] = plimsoll::read_profiles(input);
  for (const std::string& one : mistakes) {
    require(!one.empty() && std::ranges::all_of(one, is_plain), "a mistake is plain");
    require(one.find('\n') == std::string::npos, "and one line");
  }
  if (!mistakes.empty()) return 0;
  for (const plimsoll::GrantProfile& profile : profiles) {
    require(plimsoll::WireName::parse(profile.name).has_value(), "names are names");
    require(!profile.allowed_callers.empty(), "somebody may use it");
    require(!profile.permits(""), "nobody may not");
    require(plimsoll::check_grant(profile.grant).empty(), "the grant is valid");
    const std::string words = plimsoll::in_words(profile);
    require(words.starts_with(profile.name + ": code of "), "it can be said");
  }
  return 0;
}
