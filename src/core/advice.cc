#include "plimsoll/advice.h"

namespace plimsoll {

std::string_view to_string(AdvicePattern pattern) noexcept {
  return pattern == AdvicePattern::kFanOut ? "fan_out" : "repeated_read";
}

std::string_view to_string(AdviceSeverity severity) noexcept {
  switch (severity) {
    case AdviceSeverity::kLow:
      return "low";
    case AdviceSeverity::kMedium:
      return "medium";
    case AdviceSeverity::kHigh:
      break;
  }
  return "high";
}

std::string_view to_string(AdviceRemedy remedy) noexcept {
  switch (remedy) {
    case AdviceRemedy::kUseGrantedRoute:
      return "use_granted_route";
    case AdviceRemedy::kReuseAnswer:
      return "reuse_answer";
    case AdviceRemedy::kGrantRoute:
      return "grant_route";
    case AdviceRemedy::kAskApiOwner:
      return "ask_api_owner";
    case AdviceRemedy::kNone:
      break;
  }
  return "none";
}

}  // namespace plimsoll
