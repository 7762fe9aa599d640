// The snapshot that is part of this program's own file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace plimsoll::worker {

// The image file (header and linear memory) as mapped with this program.
[[nodiscard]] std::span<const std::uint8_t> snapshot_image() noexcept;

// Where it begins in this program's ELF file; nullopt when the program headers do not say.
[[nodiscard]] std::optional<std::uint64_t> snapshot_file_offset() noexcept;

}  // namespace plimsoll::worker
