// What the tests of the engine share: a host whose time, randomness and output are the test's, an
// engine restored from the built image, and a thread with a stack like a worker's.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/instance.h"
#include "engine/linear_memory.h"
#include "engine/run.h"
#include "engine/snapshot.h"

namespace plimsoll::engine {

// Time stands still but for sleep_ns(), which takes no real time.
class TestHost final : public EngineHost {
 public:
  std::uint64_t wall_ns() noexcept override { return wall + monotonic; }
  std::uint64_t monotonic_ns() noexcept override { return monotonic; }
  void fill_random(std::span<std::uint8_t> to) noexcept override {
    for (std::uint8_t& byte : to) {
      random = random * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
      byte = static_cast<std::uint8_t>(random >> 56);
    }
  }
  WriteVerdict write(Stream stream, std::span<const std::uint8_t> bytes) noexcept override {
    (stream == Stream::kStderr ? err : out).append(bytes.begin(), bytes.end());
    return out.size() + err.size() > flood_bytes ? WriteVerdict::kStop : WriteVerdict::kContinue;
  }
  bool deadline_passed() noexcept override {
    if (polls_left > 0) --polls_left;
    return polls_left == 0 || monotonic >= deadline || (flag != nullptr && flag());
  }
  void sleep_ns(std::uint64_t ns) noexcept override {
    slept.push_back(ns);
    monotonic = std::min(monotonic + ns, deadline);
  }

  std::uint64_t wall = 1'800'000'000'000'000'000;
  std::uint64_t monotonic = 77'000'000'000;
  std::uint64_t deadline = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t polls_left = std::numeric_limits<std::uint64_t>::max();
  bool (*flag)() noexcept = nullptr;  // one more way for the deadline to pass
  std::uint64_t random = 1;
  std::size_t flood_bytes = std::size_t{1} << 20;
  std::string out;
  std::string err;
  std::vector<std::uint64_t> slept;
};

// The image file that the build made, mapped.
class ImageFile {
 public:
  ImageFile() : fd_(::open(PLIMSOLL_BIN_DIR "/../gen/snapshot.bin", O_RDONLY | O_CLOEXEC)) {
    struct stat info{};
    if (fd_ < 0 || ::fstat(fd_, &info) != 0) throw std::runtime_error("no snapshot.bin");
    size_ = static_cast<std::size_t>(info.st_size);
    at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (at_ == MAP_FAILED) throw std::runtime_error("snapshot.bin cannot be mapped");
  }
  ~ImageFile() {
    ::munmap(at_, size_);
    ::close(fd_);
  }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept {
    return {static_cast<const std::uint8_t*>(at_), size_};
  }

 private:
  int fd_;
  std::size_t size_ = 0;
  void* at_ = nullptr;
};

inline constexpr std::size_t kTestMemoryBytes = std::size_t{64} << 20;
inline constexpr std::uint32_t kTestHeapBytes = heap_of(kTestMemoryBytes);

// An engine as a worker has it. Only on a thread of on_guest_stack().
class TestEngine {
 public:
  TestEngine() : memory(kTestMemoryBytes), instance(std::make_unique<Instance>(memory)) {
    header = parse_snapshot(image.bytes());
    if (header == nullptr || !memory.ok() || !instance->bind_thread() ||
        instance->instantiate() != Trap::kNone ||
        !memory.attach(image.fd(), kSnapshotHeaderBytes, snapshot_memory(image.bytes()))) {
      throw std::runtime_error("no engine");
    }
    restore(*instance, *header);
  }

  RunEnd run(std::string_view code, TestHost& host, std::uint32_t heap_bytes = kTestHeapBytes) {
    return run_snippet(*instance, *header,
                       {reinterpret_cast<const std::uint8_t*>(code.data()), code.size()}, host,
                       heap_bytes);
  }
  [[nodiscard]] bool reset(int pagemap_fd) {
    if (!memory.reset(pagemap_fd)) return false;
    restore(*instance, *header);
    return true;
  }
  // The offset of the first byte that differs from the image, or -1.
  [[nodiscard]] std::int64_t first_difference() const {
    const auto expected = snapshot_memory(image.bytes());
    if (memory.size() != expected.size()) return static_cast<std::int64_t>(expected.size());
    if (std::memcmp(memory.base(), expected.data(), expected.size()) == 0) return -1;
    return std::mismatch(expected.begin(), expected.end(), memory.base()).first - expected.begin();
  }

  ImageFile image;
  LinearMemory memory;
  std::unique_ptr<Instance> instance;
  const SnapshotHeader* header = nullptr;
};

// Runs `body` on a thread of its own with `stack_bytes` of registered stack above a guard.
inline void on_guest_stack(const std::function<void()>& body,
                           std::size_t stack_bytes = std::size_t{64} << 20) {
  constexpr std::size_t kGuard = std::size_t{1} << 20;
  constexpr std::size_t kReserve = std::size_t{256} << 10;
  constexpr std::size_t kSlack = std::size_t{256} << 10;  // the thread's own data is at the top
  struct Start {
    const std::function<void()>& body;
    std::uintptr_t low;
    std::uintptr_t high;
  };
  const std::size_t whole = kGuard + stack_bytes + kSlack;
  void* at = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error("no stack");
  auto* low = static_cast<std::uint8_t*>(at) + kGuard;
  if (::mprotect(low, stack_bytes + kSlack, PROT_READ | PROT_WRITE) != 0) {
    throw std::runtime_error("no stack");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(low);
  Start start{.body = body, .low = address, .high = address + stack_bytes + kSlack};
  pthread_attr_t attributes;
  pthread_t thread{};
  if (::pthread_attr_init(&attributes) != 0 ||
      ::pthread_attr_setstack(&attributes, low, stack_bytes + kSlack) != 0 ||
      ::pthread_create(
          &thread, &attributes,
          [](void* argument) -> void* {
            const auto& given = *static_cast<const Start*>(argument);
            set_guest_stack(given.low, given.high, kGuard, kReserve);
            given.body();
            return nullptr;
          },
          &start) != 0 ||
      ::pthread_join(thread, nullptr) != 0) {
    throw std::runtime_error("no thread");
  }
  ::pthread_attr_destroy(&attributes);
  ::munmap(at, whole);
}

}  // namespace plimsoll::engine
