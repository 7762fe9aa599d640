#include "host_check.h"

#include <algorithm>

namespace plimsoll::cli {

std::string_view to_string(Finding finding) noexcept {
  switch (finding) {
    case Finding::kOk:
      return "ok";
    case Finding::kMissing:
      return "missing";
    case Finding::kWeaker:
      return "weaker";
    case Finding::kSkipped:
      return "skipped";
  }
  return "skipped";
}

bool TierReport::host_has_it() const noexcept {
  return std::ranges::none_of(checks, [](const HostCheck& check) {
    return check.finding == Finding::kMissing || check.finding == Finding::kSkipped;
  });
}

}  // namespace plimsoll::cli
