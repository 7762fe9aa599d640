#include "engine/snapshot.h"

namespace plimsoll::engine {

const SnapshotHeader* parse_snapshot(std::span<const std::uint8_t> file) noexcept {
  if (file.size() < kSnapshotHeaderBytes) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(file.data()) % alignof(SnapshotHeader) != 0) return nullptr;
  const auto* header = reinterpret_cast<const SnapshotHeader*>(file.data());
  if (header->magic != kSnapshotMagic) return nullptr;
  if (header->memory_bytes == 0 || header->memory_bytes % kWasmPage != 0) return nullptr;
  if (file.size() != kSnapshotHeaderBytes + std::size_t{header->memory_bytes}) return nullptr;
  return header;
}

std::span<const std::uint8_t> snapshot_memory(std::span<const std::uint8_t> file) noexcept {
  return file.subspan(kSnapshotHeaderBytes);
}

}  // namespace plimsoll::engine
