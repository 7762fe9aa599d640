#include "microvm/guest_memory.h"

#include <sys/mman.h>

#include <cassert>
#include <utility>

namespace plimsoll::microvm {

Try<GuestMemory> GuestMemory::zero(std::size_t linear_bytes) {
  if (linear_bytes == 0 || linear_bytes % kLargePage != 0 || linear_bytes > kMaxLinearBytes) {
    return refused("the size of linear memory");
  }
  const std::size_t size = kLinear + linear_bytes;
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return failed("no address space for the guest's memory");
  // A huge page for one that is touched would make every machine fat.
  (void)::madvise(at, size, MADV_NOHUGEPAGE);
  (void)::madvise(at, size, MADV_DONTDUMP);
  return GuestMemory(static_cast<std::uint8_t*>(at), size);
}

Try<GuestMemory> GuestMemory::of_file(std::size_t linear_bytes, int file,
                                      std::span<const Extent> extents) {
  auto memory = zero(linear_bytes);
  if (!memory) return memory;
  for (const Extent& extent : extents) {
    const auto target = memory->at(extent.at, extent.size);
    void* at =
        ::mmap(target.data(), target.size(), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, static_cast<off_t>(extent.offset));
    if (at == MAP_FAILED) return failed("the template could not be mapped");
  }
  return memory;
}

GuestMemory::GuestMemory(GuestMemory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(other.size_) {}

GuestMemory::~GuestMemory() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

std::span<std::uint8_t> GuestMemory::at(std::uint64_t at, std::size_t size) const noexcept {
  assert(size <= size_ && at <= size_ - size);
  return {base_ + at, size};
}

bool GuestMemory::forget() const noexcept { return ::madvise(base_, size_, MADV_DONTNEED) == 0; }

}  // namespace plimsoll::microvm
