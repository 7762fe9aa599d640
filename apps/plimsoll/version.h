// The version that --version prints; a test compares it with the build's.
#pragma once

#include <string_view>

namespace plimsoll::cli {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace plimsoll::cli
