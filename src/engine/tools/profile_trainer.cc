// profile-trainer SNAPSHOT_BIN FILE.js...: runs the files in the instrumented engine, each from the
// snapshot, without a jail. The profile is written by the compiler's runtime at the end
// (LLVM_PROFILE_FILE). See cmake/EngineProfile.cmake.
#include <fcntl.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "engine/instance.h"
#include "engine/linear_memory.h"
#include "engine/run.h"
#include "engine/snapshot.h"

namespace {

using plimsoll::engine::EndCause;
using plimsoll::engine::EngineHost;
using plimsoll::engine::Instance;
using plimsoll::engine::kSnapshotHeaderBytes;
using plimsoll::engine::LinearMemory;
using plimsoll::engine::parse_snapshot;
using plimsoll::engine::restore;
using plimsoll::engine::run_snippet;
using plimsoll::engine::RunEnd;
using plimsoll::engine::set_guest_stack;
using plimsoll::engine::snapshot_memory;
using plimsoll::engine::SnapshotHeader;
using plimsoll::engine::Stream;
using plimsoll::engine::Trap;
using plimsoll::engine::WriteVerdict;

constexpr std::size_t kMemoryBytes = std::size_t{256} << 20;
constexpr std::uint32_t kHeapBytes = 200u << 20;
// Of this process's own stack; the training needs little.
constexpr std::size_t kStackBytes = std::size_t{6} << 20;
constexpr std::size_t kStackReserve = std::size_t{1} << 20;

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  (void)::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

class TrainingHost final : public EngineHost {
 public:
  std::uint64_t wall_ns() noexcept override { return now_ns(CLOCK_REALTIME); }
  std::uint64_t monotonic_ns() noexcept override { return now_ns(CLOCK_MONOTONIC); }
  void fill_random(std::span<std::uint8_t> out) noexcept override {
    std::memset(out.data(), 7, out.size());  // the same profile every time
  }
  WriteVerdict write(Stream stream, std::span<const std::uint8_t> bytes) noexcept override {
    if (stream == Stream::kStderr) std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    return WriteVerdict::kContinue;
  }
  bool deadline_passed() noexcept override { return false; }
  void sleep_ns(std::uint64_t) noexcept override {}
};

std::vector<std::uint8_t> contents(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int fail(const char* message) {
  std::fprintf(stderr, "profile-trainer: %s\n", message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: profile-trainer SNAPSHOT_BIN FILE.js...");
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  set_guest_stack(here - kStackBytes, here, 0, kStackReserve);
  LinearMemory memory(kMemoryBytes);
  const auto instance = std::make_unique<Instance>(memory);
  if (!memory.ok() || !instance->bind_thread()) return fail("no address space");
  if (instance->instantiate() != Trap::kNone) return fail("the module did not initialise");

  const auto file = contents(argv[1]);
  const SnapshotHeader* header = parse_snapshot(file);
  const int image_fd = ::open(argv[1], O_RDONLY | O_CLOEXEC);
  if (header == nullptr || image_fd < 0) return fail("this is no snapshot");
  if (!memory.attach(image_fd, kSnapshotHeaderBytes, snapshot_memory(file))) {
    return fail("the snapshot could not be mapped");
  }
  TrainingHost host;
  for (int i = 2; i < argc; ++i) {
    restore(*instance, *header);
    const RunEnd end = run_snippet(*instance, *header, contents(argv[i]), host, kHeapBytes);
    if (end.cause != EndCause::kExited || end.exit_code != 0) return fail(argv[i]);
    if (!memory.reset(-1)) return fail("the memory could not be reset");
  }
  return 0;
}
