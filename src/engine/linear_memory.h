// The guest's linear memory: 8 GiB of address space, of which only the guest's pages are
// accessible, so that no 32-bit address plus 32-bit offset can leave it. Not part of a freestanding
// build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::engine {

inline constexpr std::size_t kWasmPage = 65'536;
inline constexpr std::size_t kHostPage = 4'096;

class LinearMemory {
 public:
  // Reserves address space; nothing is accessible yet. `max_bytes` is what the guest may grow to, a
  // multiple of kWasmPage. ok() is false when the host refused.
  explicit LinearMemory(std::size_t max_bytes) noexcept;
  ~LinearMemory();
  LinearMemory(const LinearMemory&) = delete;
  LinearMemory& operator=(const LinearMemory&) = delete;

  [[nodiscard]] bool ok() const noexcept { return base_ != nullptr; }
  [[nodiscard]] std::uint8_t* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  // Whether `address` lies in the reservation, guard included.
  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept;

  // Makes the memory `bytes` long (a multiple of kWasmPage); new pages read as zero. False when it
  // is more than max_bytes or the host refused; nothing has changed then.
  [[nodiscard]] bool grow_to(std::size_t bytes) noexcept;

  // Lowers or raises what the guest may grow to, from now on.
  void set_max_bytes(std::size_t bytes) noexcept { max_bytes_ = bytes; }

  // Replaces the contents by a private, writable view of `image_fd` at `offset` (a multiple of
  // kHostPage), `image.size()` bytes long. `image` is the same bytes, mapped elsewhere; it must
  // outlive this. reset() goes back to it.
  [[nodiscard]] bool attach(int image_fd, std::uint64_t offset,
                            std::span<const std::uint8_t> image) noexcept;

  // Makes every byte equal to the image again, and the size too. `pagemap_fd` is an open
  // /proc/self/pagemap, or -1 where there is none: then every touched page is given back, which is
  // slower and just as exact. False when the kernel refused: the memory must not be used again.
  [[nodiscard]] bool reset(int pagemap_fd) noexcept;

 private:
  // What reset() does about the pages that the guest has written. kUnknown: nothing was found out.
  enum class Restored : std::uint8_t { kAll, kTooMany, kUnknown };
  [[nodiscard]] Restored restore_by_scan(int pagemap_fd) noexcept;
  [[nodiscard]] Restored restore_by_reading(int pagemap_fd) noexcept;
  void restore_page(std::size_t at) noexcept;

  std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t max_bytes_ = 0;
  std::span<const std::uint8_t> image_;
  bool can_scan_ = true;  // until the kernel says that it cannot
};

}  // namespace plimsoll::engine
