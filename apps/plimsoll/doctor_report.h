// What `plimsoll doctor` prints. Pure.
#pragma once

#include <span>
#include <string>

#include "host_check.h"

namespace plimsoll::cli {

// For people; ends with a line that says which tiers this build can use here.
[[nodiscard]] std::string to_text(std::span<const TierReport> reports);

// One object and a line feed:
//   {"usable":[tier...],"tiers":[{"tier","what","in_this_build","host_has_it","usable",
//    "checks":[{"name","finding","detail","remedy"}],"evidence":{"tier","facts":[...]}}]}
// "evidence" is there only for a tier that was started.
[[nodiscard]] std::string to_json(std::span<const TierReport> reports);

}  // namespace plimsoll::cli
