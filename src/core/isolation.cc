#include "plimsoll/isolation.h"

#include <array>

namespace plimsoll {

std::string_view to_string(Isolation tier) noexcept {
  switch (tier) {
    case Isolation::kUnknown:
      return "unknown";
    case Isolation::kNone:
      return "none";
    case Isolation::kProcess:
      return "process";
    case Isolation::kContainer:
      return "container";
    case Isolation::kKernel:
      return "kernel";
    case Isolation::kVm:
      return "vm";
  }
  return "unknown";  // not one of ours, so nothing is known of it
}

std::optional<Isolation> parse_isolation(std::string_view text) noexcept {
  static constexpr std::array kAskable = {Isolation::kNone, Isolation::kProcess,
                                          Isolation::kContainer, Isolation::kKernel,
                                          Isolation::kVm};
  for (const Isolation tier : kAskable) {
    if (text == to_string(tier)) return tier;
  }
  return std::nullopt;
}

}  // namespace plimsoll
