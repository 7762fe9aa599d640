#include "worker/snapshot_image.h"

#include <elf.h>
#include <link.h>

extern "C" {
// The linker's name for it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const std::uint8_t plimsoll_snapshot_begin[];
extern const std::uint8_t plimsoll_snapshot_end[];
}

namespace plimsoll::worker {

std::span<const std::uint8_t> snapshot_image() noexcept {
  return {plimsoll_snapshot_begin, plimsoll_snapshot_end};
}

std::optional<std::uint64_t> snapshot_file_offset() noexcept {
  // The headers lie at the file's beginning, and the linker says where that was loaded.
  const auto file_start = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(file_start + __ehdr_start.e_phoff);
  std::uintptr_t bias = file_start;
  for (std::size_t i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (headers[i].p_type == PT_LOAD && headers[i].p_offset == 0) {
      bias = file_start - headers[i].p_vaddr;
    }
  }
  const auto at = reinterpret_cast<std::uintptr_t>(plimsoll_snapshot_begin) - bias;
  for (std::size_t i = 0; i < __ehdr_start.e_phnum; ++i) {
    const ElfW(Phdr)& segment = headers[i];
    if (segment.p_type != PT_LOAD || at < segment.p_vaddr) continue;
    if (at - segment.p_vaddr < segment.p_filesz) return segment.p_offset + (at - segment.p_vaddr);
  }
  return std::nullopt;
}

}  // namespace plimsoll::worker
