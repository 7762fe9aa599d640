// The linear memory of an engine that has the machine to itself: mapped before it starts, at a
// fixed address, and restored by the VMM.
#include "engine/linear_memory.h"

#include "engine/instance.h"
#include "microvm/layout.h"

namespace plimsoll::engine {

LinearMemory::LinearMemory(std::size_t max_bytes) noexcept
    : base_(reinterpret_cast<std::uint8_t*>(microvm::kLinearAddress)), max_bytes_(max_bytes) {}

// The machine goes as a whole.
LinearMemory::~LinearMemory() { base_ = nullptr; }

bool LinearMemory::contains(std::uintptr_t address) const noexcept {
  return address - microvm::kLinearAddress < microvm::kLinearReach;
}

bool LinearMemory::grow_to(std::size_t bytes) noexcept {
  if (bytes > max_bytes_ || bytes < size_) return false;
  size_ = bytes;
  return true;
}

// The VMM has put the image there.
bool LinearMemory::attach(int /*image_fd*/, std::uint64_t /*offset*/,
                          std::span<const std::uint8_t> image) noexcept {
  size_ = image.size();
  return size_ <= max_bytes_;
}

// The VMM has set the segment's base.
bool Instance::bind_thread() const noexcept { return true; }

}  // namespace plimsoll::engine
