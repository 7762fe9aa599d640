// The page's bar charts and its tables by profile, route, caller and day.
#pragma once

#include <kainjow/mustache.hpp>

#include "tally.h"

namespace plimsoll::prospector {

inline constexpr std::size_t kMaxBarsShown = 8;

[[nodiscard]] kainjow::mustache::data charts_data(const Tally& tally);
[[nodiscard]] kainjow::mustache::data tables_data(const Tally& tally);

}  // namespace plimsoll::prospector
