#include "grants/grant_profile.h"

#include <algorithm>

namespace plimsoll {

bool GrantProfile::permits(std::string_view caller) const {
  if (caller.empty()) return false;
  // A caller whose id is "*" is no exception to a list that names others.
  return permits_everybody() ||
         (caller != "*" && std::ranges::find(allowed_callers, caller) != allowed_callers.end());
}

}  // namespace plimsoll
