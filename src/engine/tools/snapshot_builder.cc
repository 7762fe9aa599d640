// snapshot-builder PRELUDE_JS SNAPSHOT_BIN: evaluates the prelude in a fresh engine and writes the
// image that every run starts from. Deterministic: the clocks stand still and nothing is random.
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "engine/boot.h"
#include "engine/instance.h"
#include "engine/linear_memory.h"
#include "engine/snapshot.h"

namespace {

using plimsoll::engine::boot;
using plimsoll::engine::compile_prelude;
using plimsoll::engine::EngineHost;
using plimsoll::engine::Instance;
using plimsoll::engine::kSnapshotHeaderBytes;
using plimsoll::engine::LinearMemory;
using plimsoll::engine::set_guest_stack;
using plimsoll::engine::SnapshotHeader;
using plimsoll::engine::Stream;
using plimsoll::engine::WriteVerdict;

constexpr std::size_t kBootMemoryBytes = 64u << 20;
// As large as a worker's, so that the prelude cannot pass here and fail there.
constexpr std::size_t kStackBytes = 64u << 20;

// The clock that the prelude sees; any moment will do, as long as it is always the same.
constexpr std::uint64_t kBuildWallNs = 1'700'000'000ULL * 1'000'000'000;

class BuildHost final : public EngineHost {
 public:
  std::uint64_t wall_ns() noexcept override { return kBuildWallNs; }
  std::uint64_t monotonic_ns() noexcept override { return 0; }
  void fill_random(std::span<std::uint8_t> out) noexcept override {
    std::memset(out.data(), 0, out.size());
  }
  WriteVerdict write(Stream, std::span<const std::uint8_t> bytes) noexcept override {
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    return WriteVerdict::kContinue;
  }
  bool deadline_passed() noexcept override { return false; }
  void sleep_ns(std::uint64_t) noexcept override {}
};

int fail(const std::string& message) {
  std::fprintf(stderr, "snapshot-builder: %s\n", message.c_str());
  return 1;
}

int build(const char* prelude_path, const char* out_path) {
  std::ifstream in(prelude_path, std::ios::binary);
  if (!in) return fail(std::string("cannot read ") + prelude_path);
  const std::vector<char> source{std::istreambuf_iterator<char>(in), {}};

  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  set_guest_stack(here - kStackBytes, here, 0, std::size_t{1} << 20);
  BuildHost host;

  LinearMemory compiler_memory(kBootMemoryBytes);
  LinearMemory memory(kBootMemoryBytes);
  if (!compiler_memory.ok() || !memory.ok()) return fail("no address space for the linear memory");
  const auto compiler = std::make_unique<Instance>(compiler_memory);
  const auto instance = std::make_unique<Instance>(memory);

  std::span<const std::uint8_t> bytecode;
  if (!compiler->bind_thread()) return fail("the segment register could not be set");
  if (const char* problem = compile_prelude(
          *compiler, host, {reinterpret_cast<const std::uint8_t*>(source.data()), source.size()},
          bytecode)) {
    return fail(problem);
  }
  SnapshotHeader header;
  if (!instance->bind_thread()) return fail("the segment register could not be set");
  if (const char* problem = boot(*instance, host, bytecode, header)) return fail(problem);

  std::array<char, kSnapshotHeaderBytes> page{};
  std::memcpy(page.data(), &header, sizeof header);
  std::ofstream out(out_path, std::ios::binary | std::ios::trunc);
  out.write(page.data(), page.size());
  out.write(reinterpret_cast<const char*>(memory.base()),
            static_cast<std::streamsize>(memory.size()));
  out.close();
  if (!out) return fail(std::string("cannot write ") + out_path);
  std::printf("snapshot: %zu KiB of linear memory; prelude %zu KiB, bytecode %zu KiB\n",
              memory.size() >> 10, source.size() >> 10, bytecode.size() >> 10);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: snapshot-builder PRELUDE_JS SNAPSHOT_BIN");
  return build(argv[1], argv[2]);
}
