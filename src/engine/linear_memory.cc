#include "engine/linear_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace plimsoll::engine {

namespace {

// Every effective address is a 32-bit pointer plus a 32-bit offset plus at most 16 bytes.
constexpr std::size_t kReservation = (std::size_t{1} << 33) + kWasmPage;

// Beyond this many private pages it pays to give them back, so that one greedy run does not leave
// the worker fat; below it, copying is cheaper than faulting them in again.
constexpr std::size_t kKeepPrivatePages = 256;

// Bits of a /proc/PID/pagemap entry (Documentation/admin-guide/mm/pagemap.rst).
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kFileOrShared = std::uint64_t{1} << 61;

}  // namespace

LinearMemory::LinearMemory(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {
  void* at =
      ::mmap(nullptr, kReservation, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) base_ = static_cast<std::uint8_t*>(at);
}

LinearMemory::~LinearMemory() {
  if (base_ != nullptr) ::munmap(base_, kReservation);
}

bool LinearMemory::contains(std::uintptr_t address) const noexcept {
  const auto low = reinterpret_cast<std::uintptr_t>(base_);
  return address >= low && address - low < kReservation;
}

bool LinearMemory::grow_to(std::size_t bytes) noexcept {
  if (bytes > max_bytes_ || bytes < size_) return false;
  if (bytes == size_) return true;
  if (::mprotect(base_ + size_, bytes - size_, PROT_READ | PROT_WRITE) != 0) return false;
  size_ = bytes;
  return true;
}

bool LinearMemory::attach(int image_fd, std::uint64_t offset,
                          std::span<const std::uint8_t> image) noexcept {
  if (image.size() > max_bytes_ || image.size() % kWasmPage != 0) return false;
  if (size_ > image.size()) {
    void* gone = ::mmap(base_ + image.size(), size_ - image.size(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (gone == MAP_FAILED) return false;
  }
  void* at = ::mmap(base_, image.size(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, image_fd, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  image_ = image;
  size_ = image.size();
  return true;
}

bool LinearMemory::restore_dirty_pages(int pagemap_fd) noexcept {
  constexpr std::size_t kBatch = 2'048;
  std::array<std::uint64_t, kBatch> entries;
  const std::size_t pages = image_.size() / kHostPage;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(base_) / kHostPage;
  std::size_t private_pages = 0;
  for (std::size_t done = 0; done < pages;) {
    const std::size_t count = pages - done < kBatch ? pages - done : kBatch;
    const std::size_t want = count * sizeof(std::uint64_t);
    const auto offset = static_cast<off_t>((first + done) * sizeof(std::uint64_t));
    if (::pread(pagemap_fd, entries.data(), want, offset) != static_cast<ssize_t>(want)) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      // A page that was only read is still the file's; one that was written is the process's own.
      if ((entries[i] & (kPresent | kSwapped)) == 0 || (entries[i] & kFileOrShared) != 0) continue;
      const std::size_t at = (done + i) * kHostPage;
      if (++private_pages <= kKeepPrivatePages) {
        std::memcpy(base_ + at, image_.data() + at, kHostPage);
      }
    }
    done += count;
  }
  if (private_pages <= kKeepPrivatePages) return true;
  return ::madvise(base_, image_.size(), MADV_DONTNEED) == 0;
}

bool LinearMemory::reset(int pagemap_fd) noexcept {
  if (size_ > image_.size()) {
    void* gone = ::mmap(base_ + image_.size(), size_ - image_.size(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (gone == MAP_FAILED) return false;
    size_ = image_.size();
  }
  if (pagemap_fd >= 0 && restore_dirty_pages(pagemap_fd)) return true;
  return ::madvise(base_, image_.size(), MADV_DONTNEED) == 0;
}

}  // namespace plimsoll::engine
