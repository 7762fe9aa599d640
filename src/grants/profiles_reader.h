// From the bytes of a profiles file to profiles, with a mistake for each thing that is wrong with
// one of them. Pure: opens no file, reads no variable. The form is
//   {"profiles": {"orders": {"base_url": "https://api.example.com",
//                            "allow": ["GET /v1/orders/*"], "allowed_callers": ["ann"]}}}
// and docs/capability-grants.md has every field. What is not understood is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grants/grant_profile.h"

namespace plimsoll {

inline constexpr std::size_t kMaxProfilesBytes = std::size_t{4} << 20;

// The profiles count only without mistakes; then each is valid, but for what its preamble_file
// holds. Mistakes name the profile and the field, and never a value.
struct ReadProfiles {
  std::vector<GrantProfile> profiles{};
  std::vector<std::string> mistakes{};
};

[[nodiscard]] ReadProfiles read_profiles(std::string_view json);

// "profile 'orders': ".
[[nodiscard]] std::string place_of(const GrantProfile& profile);

}  // namespace plimsoll
