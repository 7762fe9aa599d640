// Puts the guest image into the memory of a machine, and the page tables that say what the guest
// may do with each page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "microvm/failure.h"
#include "microvm/guest_memory.h"

namespace plimsoll::microvm {

// The physical address of the outermost page table.
inline constexpr std::uint64_t kPageTableRoot = kPageTables;

// Loads the ELF file `image` (freestanding, linked at kImage) and writes the page tables for
// `linear_bytes` of linear memory. No page is writable and executable, the areas that are the
// VMM's to write are read-only to the guest, and the tables themselves are mapped nowhere. Returns
// the entry point. Fails for an image that does not fit the layout.
[[nodiscard]] Try<std::uint64_t> load_guest_image(const GuestMemory& memory,
                                                  std::span<const std::uint8_t> image,
                                                  std::size_t linear_bytes);

}  // namespace plimsoll::microvm
