// The reset finds the written pages by the kernel's scan, and by reading where the kernel has none:
// here a filter makes the kernel an older one.
#include "engine/pagemap_scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engine/linear_memory.h"

namespace plimsoll::engine {

namespace {

constexpr std::size_t kImageBytes = 64 * kWasmPage;

// From here on this process's ioctl() is one that knows no request.
bool forget_ioctl() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

// A process writes its memory at `pages`, resets and compares, twice. Its exit status: 0 when the
// memory was the image again.
int reset_in_a_process(const std::vector<std::size_t>& pages, bool scan) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int image_fd = ::memfd_create("image", MFD_CLOEXEC);
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0 || ::ftruncate(image_fd, kImageBytes) != 0) ::_exit(2);
    void* at = ::mmap(nullptr, kImageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, image_fd, 0);
    if (at == MAP_FAILED) ::_exit(2);
    auto* image = static_cast<std::uint8_t*>(at);
    for (std::size_t i = 0; i < kImageBytes; i += 97) image[i] = static_cast<std::uint8_t>(i);
    LinearMemory memory(2 * kImageBytes);
    if (!memory.attach(image_fd, 0, {image, kImageBytes})) ::_exit(2);
    if (!scan && !forget_ioctl()) ::_exit(2);
    for (int round = 0; round < 2; ++round) {
      volatile std::uint8_t* bytes = memory.base();
      for (std::size_t i = 0; i < kImageBytes; i += 5 * kHostPage) (void)bytes[i];
      for (const std::size_t page : pages) bytes[page * kHostPage + 11] = 0xee;
      if (!memory.grow_to(kImageBytes + kWasmPage)) ::_exit(2);
      bytes[kImageBytes] = 1;
      if (!memory.reset(pagemap)) ::_exit(3);
      if (memory.size() != kImageBytes) ::_exit(4);
      if (std::memcmp(memory.base(), image, kImageBytes) != 0) ::_exit(5);
    }
    ::_exit(0);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

class PagemapScan : public testing::TestWithParam<bool> {};

TEST_P(PagemapScan, FindsFewPages) {
  EXPECT_EQ(reset_in_a_process({0, 1, 5, 511, 512, kImageBytes / kHostPage - 1}, GetParam()), 0);
}

TEST_P(PagemapScan, FindsNone) { EXPECT_EQ(reset_in_a_process({}, GetParam()), 0); }

TEST_P(PagemapScan, GivesManyBack) {
  for (const std::size_t count : {std::size_t{256}, std::size_t{257}, kImageBytes / kHostPage}) {
    std::vector<std::size_t> pages(count);
    for (std::size_t i = 0; i < count; ++i) pages[i] = i * 3 % (kImageBytes / kHostPage);
    EXPECT_EQ(reset_in_a_process(pages, GetParam()), 0) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, PagemapScan, testing::Bool(),
                         [](const auto& one) { return one.param ? "now" : "before_6_7"; });

}  // namespace

}  // namespace plimsoll::engine
