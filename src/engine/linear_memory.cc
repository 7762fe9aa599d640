#include "engine/linear_memory.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "engine/pagemap_scan.h"

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

void LinearMemory::restore_page(std::size_t at) noexcept {
  std::memcpy(base_ + at, image_.data() + at, kHostPage);
}

// A page that was only read is still the file's; one that was written is the process's own.
LinearMemory::Restored LinearMemory::restore_by_scan(int pagemap_fd) noexcept {
  std::array<PageRegion, kKeepPrivatePages + 1> regions;
  const auto base = reinterpret_cast<std::uintptr_t>(base_);
  PageScan scan{.start = base,
                .end = base + image_.size(),
                .regions = reinterpret_cast<std::uintptr_t>(regions.data()),
                .regions_size = regions.size(),
                .max_pages = regions.size(),
                .category_inverted = kPageIsFile,
                .category_mask = kPageIsFile,
                .category_anyof_mask = kPageIsPresent | kPageIsSwapped};
  const int found = ::ioctl(pagemap_fd, kPagemapScan, &scan);
  if (found < 0) return Restored::kUnknown;
  std::size_t pages = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) {
    pages += (regions[i].end - regions[i].start) / kHostPage;
  }
  if (pages > kKeepPrivatePages) return Restored::kTooMany;
  if (scan.walk_end != scan.end) return Restored::kUnknown;
  for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) {
    for (std::uint64_t page = regions[i].start; page < regions[i].end; page += kHostPage) {
      restore_page(page - base);
    }
  }
  return Restored::kAll;
}

LinearMemory::Restored LinearMemory::restore_by_reading(int pagemap_fd) noexcept {
  constexpr std::size_t kBatch = 2'048;
  // Read before it is used, 16 KiB at each reset.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  std::array<std::uint64_t, kBatch> entries;
  const std::size_t pages = image_.size() / kHostPage;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(base_) / kHostPage;
  std::size_t private_pages = 0;
  for (std::size_t done = 0; done < pages;) {
    const std::size_t count = pages - done < kBatch ? pages - done : kBatch;
    const std::size_t want = count * sizeof(std::uint64_t);
    const auto offset = static_cast<off_t>((first + done) * sizeof(std::uint64_t));
    if (::pread(pagemap_fd, entries.data(), want, offset) != static_cast<ssize_t>(want)) {
      return Restored::kUnknown;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if ((entries[i] & (kPresent | kSwapped)) == 0 || (entries[i] & kFileOrShared) != 0) continue;
      if (++private_pages > kKeepPrivatePages) return Restored::kTooMany;
      restore_page((done + i) * kHostPage);
    }
    done += count;
  }
  return Restored::kAll;
}

bool LinearMemory::reset(int pagemap_fd) noexcept {
  if (size_ > image_.size()) {
    void* gone = ::mmap(base_ + image_.size(), size_ - image_.size(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (gone == MAP_FAILED) return false;
    size_ = image_.size();
  }
  Restored restored = Restored::kUnknown;
  if (pagemap_fd >= 0 && can_scan_) {
    restored = restore_by_scan(pagemap_fd);
    can_scan_ = restored != Restored::kUnknown;
  }
  if (pagemap_fd >= 0 && restored == Restored::kUnknown) restored = restore_by_reading(pagemap_fd);
  if (restored == Restored::kAll) return true;
  return ::madvise(base_, image_.size(), MADV_DONTNEED) == 0;
}

}  // namespace plimsoll::engine
