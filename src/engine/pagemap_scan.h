// The kernel finds pages of one kind: ioctl PAGEMAP_SCAN on /proc/self/pagemap, since Linux 6.7
// (Documentation/admin-guide/mm/pagemap.rst). The C library's headers here are older.
#pragma once

#include <cstdint>

namespace plimsoll::engine {

struct PageRegion {
  std::uint64_t start = 0;  // addresses
  std::uint64_t end = 0;
  std::uint64_t categories = 0;
};

struct PageScan {
  std::uint64_t size = sizeof(PageScan);
  std::uint64_t flags = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t walk_end = 0;  // out: how far it got
  std::uint64_t regions = 0;   // address of an array of PageRegion
  std::uint64_t regions_size = 0;
  std::uint64_t max_pages = 0;
  std::uint64_t category_inverted = 0;
  std::uint64_t category_mask = 0;        // all of these (after the inversion)
  std::uint64_t category_anyof_mask = 0;  // and one of these
  std::uint64_t return_mask = 0;
};
static_assert(sizeof(PageScan) == 96 && sizeof(PageRegion) == 24);

inline constexpr unsigned long kPagemapScan = 0xc060'6610;  // _IOWR('f', 16, struct pm_scan_arg)
inline constexpr std::uint64_t kPageIsFile = 1u << 2;
inline constexpr std::uint64_t kPageIsPresent = 1u << 3;
inline constexpr std::uint64_t kPageIsSwapped = 1u << 4;

}  // namespace plimsoll::engine
