// The isolation tiers: how strong the boundary is between the code that runs and the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll {

// Weakest to strongest. The order is the meaning: a greater value is a stronger boundary.
//   kUnknown    nothing is known; it meets no floor, not even kNone
//   kNone       no boundary
//   kProcess    a jailed process of its own (the engine is the first wall, the jail the next)
//   kContainer  namespaces and cgroups; the guest talks to the host's kernel
//   kKernel     a kernel of its own between the guest and the host's (gVisor)
//   kVm         a hardware-virtualised machine of its own
enum class Isolation : std::uint8_t { kUnknown, kNone, kProcess, kContainer, kKernel, kVm };

// Whether a boundary of tier `actual` satisfies a caller's `floor`. kUnknown meets nothing, and
// nothing meets a floor of kUnknown.
[[nodiscard]] constexpr bool meets(Isolation actual, Isolation floor) noexcept {
  return actual != Isolation::kUnknown && floor != Isolation::kUnknown && actual >= floor;
}

// "unknown", "none", "process", "container", "kernel", "vm".
[[nodiscard]] std::string_view to_string(Isolation tier) noexcept;

// The inverse of to_string, exact and case-sensitive; nullopt for anything else. "unknown" is not
// accepted: nobody can ask for it.
[[nodiscard]] std::optional<Isolation> parse_isolation(std::string_view text) noexcept;

}  // namespace plimsoll
