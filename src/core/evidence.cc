#include "plimsoll/evidence.h"

namespace plimsoll {

std::string_view to_string(EvidenceBasis basis) noexcept {
  switch (basis) {
    case EvidenceBasis::kStated:
      return "stated";
    case EvidenceBasis::kConfigured:
      return "configured";
    case EvidenceBasis::kMeasured:
      return "measured";
  }
  return "stated";  // not one of ours: the weakest basis claims the least
}

}  // namespace plimsoll
