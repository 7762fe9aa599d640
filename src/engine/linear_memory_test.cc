#include "engine/linear_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

namespace plimsoll::engine {
namespace {

constexpr std::size_t kImagePages = 40;  // of 64 KiB; more than are kept private by a reset
constexpr std::size_t kImageBytes = kImagePages * kWasmPage;
constexpr std::size_t kMaxBytes = 64 * kWasmPage;

// A memory attached to an image whose bytes are all different from zero.
class LinearMemoryTest : public ::testing::TestWithParam<bool> {
 protected:
  LinearMemoryTest() : memory_(kMaxBytes) {
    for (std::size_t i = 0; i < kImageBytes; ++i) {
      image_.push_back(static_cast<std::uint8_t>(1 + (i * 7 + i / kHostPage) % 255));
    }
    fd_ = ::memfd_create("image", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(kHostPage)), 0);
    EXPECT_EQ(::pwrite(fd_, image_.data(), image_.size(), kHostPage),
              static_cast<ssize_t>(image_.size()));
    EXPECT_TRUE(memory_.ok());
    EXPECT_TRUE(memory_.attach(fd_, kHostPage, image_));
    if (GetParam()) pagemap_ = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(pagemap_ >= 0, GetParam());
  }
  ~LinearMemoryTest() override {
    ::close(fd_);
    if (pagemap_ >= 0) ::close(pagemap_);
  }

  void expect_image() {
    ASSERT_EQ(memory_.size(), kImageBytes);
    EXPECT_EQ(std::memcmp(memory_.base(), image_.data(), kImageBytes), 0);
  }
  void reset_and_expect_image() {
    ASSERT_TRUE(memory_.reset(pagemap_));
    expect_image();
  }

  std::vector<std::uint8_t> image_;
  LinearMemory memory_;
  int fd_ = -1;
  int pagemap_ = -1;
};

INSTANTIATE_TEST_SUITE_P(WithAndWithout, LinearMemoryTest, ::testing::Bool(),
                         [](const auto& parameter) {
                           return parameter.param ? "Pagemap" : "NoPagemap";
                         });

TEST_P(LinearMemoryTest, StartsAsTheImage) { expect_image(); }

TEST_P(LinearMemoryTest, AResetUndoesAnyWrites) {
  std::mt19937_64 engine(42);
  for (const std::size_t writes : {0U, 1U, 10U, 300U, 5'000U}) {  // few pages, then nearly all
    for (std::size_t i = 0; i < writes; ++i) {
      memory_.base()[engine() % kImageBytes] = static_cast<std::uint8_t>(engine());
    }
    reset_and_expect_image();
  }
}

TEST_P(LinearMemoryTest, AResetUndoesWritesAtTheEdges) {
  for (const std::size_t at :
       {std::size_t{0}, kHostPage - 1, kHostPage, kImageBytes - kHostPage, kImageBytes - 1}) {
    memory_.base()[at] = static_cast<std::uint8_t>(~image_[at]);
    reset_and_expect_image();
  }
  std::memset(memory_.base(), 0, kImageBytes);
  reset_and_expect_image();
}

TEST_P(LinearMemoryTest, AResetUndoesGrowth) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(memory_.grow_to(kMaxBytes));
    EXPECT_EQ(memory_.size(), kMaxBytes);
    for (std::size_t at = kImageBytes; at < kMaxBytes; at += kHostPage) {
      ASSERT_EQ(memory_.base()[at], 0) << "round " << round;  // nothing of an earlier run
      memory_.base()[at] = 0xaa;
    }
    memory_.base()[5] = 0;
    reset_and_expect_image();
  }
}

TEST_P(LinearMemoryTest, PagesThatWereOnlyReadStayTheFiles) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < kImageBytes; at += kHostPage) sum += memory_.base()[at];
  EXPECT_GT(sum, 0U);
  reset_and_expect_image();
}

TEST_P(LinearMemoryTest, GrowthStopsAtTheMaximum) {
  EXPECT_FALSE(memory_.grow_to(kMaxBytes + kWasmPage));
  EXPECT_EQ(memory_.size(), kImageBytes);
  EXPECT_TRUE(memory_.grow_to(kMaxBytes));
  EXPECT_FALSE(memory_.grow_to(kMaxBytes + kWasmPage));
  EXPECT_FALSE(memory_.grow_to(kImageBytes));  // never smaller
  EXPECT_EQ(memory_.size(), kMaxBytes);
}

TEST_P(LinearMemoryTest, ALoweredMaximumHolds) {
  memory_.set_max_bytes(kImageBytes + kWasmPage);
  EXPECT_FALSE(memory_.grow_to(kImageBytes + 2 * kWasmPage));
  EXPECT_TRUE(memory_.grow_to(kImageBytes + kWasmPage));
}

using LinearMemoryDeathTest = LinearMemoryTest;
INSTANTIATE_TEST_SUITE_P(Memory, LinearMemoryDeathTest, ::testing::Values(false));

TEST_P(LinearMemoryDeathTest, NothingBeyondTheSizeIsAccessible) {
  const volatile std::uint8_t* base = memory_.base();
  for (const std::size_t beyond :
       {kImageBytes, kMaxBytes, std::size_t{0xffff'ffff}, std::size_t{0x1'ffff'ffff}}) {
    EXPECT_EXIT((void)base[beyond], ::testing::KilledBySignal(SIGSEGV), "") << beyond;
  }
}

TEST_P(LinearMemoryDeathTest, WhatWasGrownIsGoneAfterAReset) {
  ASSERT_TRUE(memory_.grow_to(kMaxBytes));
  memory_.base()[kImageBytes] = 1;
  ASSERT_TRUE(memory_.reset(-1));
  const volatile std::uint8_t* base = memory_.base();
  EXPECT_EXIT((void)base[kImageBytes], ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(LinearMemoryTest, EveryAddressThatGuestCodeCanFormIsInside) {
  const auto base = reinterpret_cast<std::uintptr_t>(memory_.base());
  EXPECT_TRUE(memory_.contains(base));
  EXPECT_TRUE(memory_.contains(base + 0xffff'ffffULL + 0xffff'ffffULL + 16));
  EXPECT_FALSE(memory_.contains(base - 1));
  EXPECT_FALSE(memory_.contains(0));
}

TEST_P(LinearMemoryTest, AnImageThatDoesNotFitIsRefused) {
  LinearMemory small(kWasmPage);
  EXPECT_FALSE(small.attach(fd_, kHostPage, image_));
  EXPECT_FALSE(memory_.attach(fd_, kHostPage, std::span(image_).first(kWasmPage + 1)));
}

TEST_P(LinearMemoryTest, AttachingGivesBackWhatWasBeyondTheImage) {
  LinearMemory memory(kMaxBytes);
  ASSERT_TRUE(memory.grow_to(kMaxBytes));
  std::memset(memory.base(), 0xaa, kMaxBytes);
  ASSERT_TRUE(memory.attach(fd_, kHostPage, image_));
  ASSERT_EQ(memory.size(), kImageBytes);
  ASSERT_TRUE(memory.grow_to(kMaxBytes));
  for (std::size_t at = kImageBytes; at < kMaxBytes; ++at) ASSERT_EQ(memory.base()[at], 0);
}

TEST_P(LinearMemoryTest, AForgedPagemapCostsSpeedOnly) {
  if (GetParam()) return;
  const int empty = ::memfd_create("pagemap", MFD_CLOEXEC);  // every read of it is short
  memory_.base()[100] = 0;
  ASSERT_TRUE(memory_.reset(empty));
  expect_image();
  ::close(empty);
}

// Makes ioctl(2) fail for the calling thread, and with it PAGEMAP_SCAN, as before Linux 6.7.
void forbid_ioctl() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(code), .filter = code};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), 0);
}

TEST_P(LinearMemoryTest, AResetWithoutTheKernelsScanIsJustAsExact) {
  std::jthread([this] {
    forbid_ioctl();
    std::mt19937_64 engine(43);
    for (const std::size_t writes : {0U, 1U, 10U, 200U, 5'000U, 3U}) {
      for (std::size_t i = 0; i < writes; ++i) {
        memory_.base()[engine() % kImageBytes] = static_cast<std::uint8_t>(engine());
      }
      reset_and_expect_image();
    }
  }).join();
}

TEST_P(LinearMemoryTest, ManyScatteredPagesAreAllRestored) {
  // Every second page: as many regions as pages, around the number that one scan can report.
  constexpr std::size_t kPages = kImageBytes / kHostPage;
  for (const std::size_t count : {255U, 256U, 257U, 258U, 300U}) {
    ASSERT_LE(2 * count, kPages);
    for (std::size_t i = 0; i < count; ++i) memory_.base()[2 * i * kHostPage + 5] ^= 0xff;
    reset_and_expect_image();
  }
}

}  // namespace
}  // namespace plimsoll::engine
