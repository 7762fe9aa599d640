// The findings on the page, in their three classes.
#pragma once

#include <kainjow/mustache.hpp>

#include "tally.h"

namespace plimsoll::prospector {

// Always three, in the order of FindingClass; those without findings say so.
[[nodiscard]] kainjow::mustache::data classes_data(const Tally& tally);

}  // namespace plimsoll::prospector
