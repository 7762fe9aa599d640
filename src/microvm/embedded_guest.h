// What machines are made of, part of this program's own file.
#pragma once

#include <cstdint>
#include <span>

extern "C" {
extern const std::uint8_t plimsoll_guest_begin[];
extern const std::uint8_t plimsoll_guest_end[];
extern const std::uint8_t plimsoll_snapshot_begin[];
extern const std::uint8_t plimsoll_snapshot_end[];
}

namespace plimsoll::microvm {

// The ELF file of the guest.
[[nodiscard]] inline std::span<const std::uint8_t> embedded_guest() noexcept {
  return {plimsoll_guest_begin, plimsoll_guest_end};
}
// The engine's memory after its prelude, with a header of one page (engine/snapshot.h).
[[nodiscard]] inline std::span<const std::uint8_t> embedded_snapshot() noexcept {
  return {plimsoll_snapshot_begin, plimsoll_snapshot_end};
}

}  // namespace plimsoll::microvm
