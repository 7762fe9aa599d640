// The page tables, read as the processor reads them: what the guest may do with every page.
#include "microvm/guest_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "microvm/embedded_guest.h"

namespace plimsoll::microvm {
namespace {

constexpr std::size_t kLinearBytes = std::size_t{4} << 20;

struct Page {
  std::uint64_t address = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  bool writable = false;
  bool executable = false;
  bool user = false;
};

class GuestImageTest : public ::testing::Test {
 protected:
  std::uint64_t entry(std::uint64_t table, std::size_t index) const {
    std::uint64_t value = 0;
    std::memcpy(&value, memory_.at(table + 8 * index, 8).data(), 8);
    return value;
  }

  // Every page that is mapped.
  std::vector<Page> walk(std::uint64_t table = kPageTableRoot, unsigned level = 4,
                         std::uint64_t base = 0) const {
    std::vector<Page> pages;
    const std::uint64_t size = std::uint64_t{1} << (12 + 9 * (level - 1));
    for (std::size_t i = 0; i < 512; ++i) {
      const std::uint64_t value = entry(table, i);
      if ((value & 1) == 0) continue;
      EXPECT_EQ(value & 0x20, 0x20U) << "accessed, so that the processor does not write it";
      const std::uint64_t physical = value & 0x000f'ffff'ffff'f000;
      const std::uint64_t address = base + i * size;
      if (level == 1 || (value & 0x80) != 0) {
        EXPECT_EQ(value & 0x40, 0x40U) << "dirty, for the same reason";
        pages.push_back({.address = address,
                         .physical = physical,
                         .size = size,
                         .writable = (value & 2) != 0,
                         .executable = (value >> 63) == 0,
                         .user = (value & 4) != 0});
      } else {
        const auto below = walk(physical, level - 1, address);
        pages.insert(pages.end(), below.begin(), below.end());
      }
    }
    return pages;
  }

  GuestMemory memory_ = *GuestMemory::zero(kLinearBytes);
};

TEST_F(GuestImageTest, NoPageIsWrittenAndExecutedAndTheTablesAreNowhere) {
  const auto start = load_guest_image(memory_, embedded_guest(), kLinearBytes);
  ASSERT_TRUE(start) << start.error().step;
  std::size_t executable = 0;
  std::size_t of_ring0 = 0;
  for (const Page& page : walk()) {
    EXPECT_FALSE(page.writable && page.executable) << page.address;
    EXPECT_LE(page.physical + page.size, memory_.size());
    EXPECT_GE(page.physical, kImage) << "a table is mapped at " << page.address;
    if (page.executable) {
      ++executable;
      EXPECT_GE(page.address, kImage);
      EXPECT_LT(page.address, kImageEnd);
    }
    if (!page.user) {
      ++of_ring0;
      EXPECT_EQ(page.address, kTask);
      EXPECT_FALSE(page.writable);
    }
  }
  EXPECT_GT(executable, 100U);
  EXPECT_EQ(of_ring0, 1U);
}

TEST_F(GuestImageTest, EveryPageIsThereOnceAndWhereTheLayoutSays) {
  ASSERT_TRUE(load_guest_image(memory_, embedded_guest(), kLinearBytes));
  std::vector<bool> seen(memory_.size() / kPage);
  std::uint64_t stack = 0;
  std::uint64_t linear = 0;
  for (const Page& page : walk()) {
    for (std::uint64_t at = page.physical; at < page.physical + page.size; at += kPage) {
      EXPECT_FALSE(seen[at / kPage]) << at;
      seen[at / kPage] = true;
    }
    if (page.address >= kLinearAddress) {
      EXPECT_EQ(page.physical - kLinear, page.address - kLinearAddress);
      linear += page.size;
    } else if (page.address >= kStackAddress) {
      EXPECT_EQ(page.physical - kStack, page.address - kStackAddress);
      stack += page.size;
    } else {
      EXPECT_EQ(page.physical, page.address);
    }
  }
  EXPECT_EQ(stack, kStackBytes);
  EXPECT_EQ(linear, kLinearBytes);
}

TEST_F(GuestImageTest, AnImageThatDoesNotFitIsRefused) {
  const auto good = embedded_guest();
  const auto refused = [&](auto&& spoil) {
    std::vector<std::uint8_t> image(good.begin(), good.end());
    spoil(image);
    return !load_guest_image(memory_, image, kLinearBytes);
  };
  const auto segment = [](std::vector<std::uint8_t>& image) -> Elf64_Phdr& {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image.data());
    return *reinterpret_cast<Elf64_Phdr*>(image.data() + header->e_phoff);
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& image) { image.resize(10); }));
  EXPECT_TRUE(refused([](auto& image) { image[0] = 0; }));
  EXPECT_TRUE(refused([](auto& image) { image.resize(100); }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_vaddr = kPageTables; }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_vaddr = kMailbox; }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_vaddr += 1; }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_memsz = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_offset = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([&](auto& image) { segment(image).p_flags = PF_R | PF_W | PF_X; }));
}

}  // namespace
}  // namespace plimsoll::microvm
