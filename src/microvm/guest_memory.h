// The physical memory of one machine, as this process maps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "microvm/failure.h"
#include "microvm/layout.h"

namespace plimsoll::microvm {

// A part of physical memory that comes from a file. All other memory starts as zero.
struct Extent {
  std::uint64_t at = 0;      // physical
  std::uint64_t size = 0;    // both multiples of kPage
  std::uint64_t offset = 0;  // in the file
};

class GuestMemory {
 public:
  // With `linear_bytes` of linear memory (a multiple of kLargePage, at most kMaxLinearBytes), all
  // zero.
  [[nodiscard]] static Try<GuestMemory> zero(std::size_t linear_bytes);
  // As zero(), but for `extents`, which are private views of `file`.
  [[nodiscard]] static Try<GuestMemory> of_file(std::size_t linear_bytes, int file,
                                                std::span<const Extent> extents);

  GuestMemory(GuestMemory&& other) noexcept;
  GuestMemory& operator=(GuestMemory&&) = delete;
  ~GuestMemory();

  [[nodiscard]] std::uint8_t* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // [at, at + size) must be inside: the addresses are ours, never the guest's.
  [[nodiscard]] std::span<std::uint8_t> at(std::uint64_t at, std::size_t size) const noexcept;

  // Gives every page back: the memory is what it was when it was made. False: it is in doubt.
  [[nodiscard]] bool forget() const noexcept;

 private:
  GuestMemory(std::uint8_t* base, std::size_t size) noexcept : base_(base), size_(size) {}
  std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;
};

// What a machine with this much JavaScript memory has of linear memory.
[[nodiscard]] constexpr std::size_t linear_bytes_of(std::size_t memory_bytes) noexcept {
  return (memory_bytes + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace plimsoll::microvm
