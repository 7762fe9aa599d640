#include "worker/slot.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdlib>
#include <optional>

#include "engine/run.h"
#include "worker/snapshot_image.h"

namespace plimsoll::worker {

namespace {

constexpr std::size_t kStackGuard = std::size_t{1} << 20;
constexpr std::size_t kStackReserve = std::size_t{256} << 10;
// What a short run touches of the stack stays; a deep recursion's pages are given back.
constexpr std::size_t kStackKept = std::size_t{128} << 10;

struct Slot {
  explicit Slot(std::size_t bytes) noexcept
      : memory_bytes(bytes), memory(bytes), instance(memory) {}
  std::size_t memory_bytes;
  engine::LinearMemory memory;
  engine::Instance instance;
  const engine::SnapshotHeader* header = nullptr;
  std::uint8_t* stack = nullptr;
};
constinit std::optional<Slot> g_slot;

// The image, and room for a heap that is worth the name.
std::size_t least_memory(const engine::SnapshotHeader& header) noexcept {
  return header.memory_bytes + engine::kWasmPage;
}

bool map_stack(Slot& slot) noexcept {
  void* at = ::mmap(nullptr, kStackGuard + kStackBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  slot.stack = static_cast<std::uint8_t*>(at) + kStackGuard;
  return ::mprotect(slot.stack, kStackBytes, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace

const char* prepare_slot(int elf_fd, std::size_t memory_bytes) noexcept {
  const auto image = snapshot_image();
  const engine::SnapshotHeader* header = engine::parse_snapshot(image);
  const auto offset = snapshot_file_offset();
  if (header == nullptr || !offset) return "the snapshot in the worker's file is damaged";
  if (memory_bytes < least_memory(*header)) {
    return "the memory limit is below what the engine needs";
  }
  Slot& slot = g_slot.emplace(memory_bytes);
  if (!slot.memory.ok()) return "no address space for the linear memory";
  if (!map_stack(slot)) return "no address space for the stack";
  if (!slot.instance.bind_thread()) return "the segment register could not be set";
  const auto stack = reinterpret_cast<std::uintptr_t>(slot.stack);
  engine::set_guest_stack(stack, stack + kStackBytes, kStackGuard, kStackReserve);
  // Only here does guest code run on the process's first stack; it needs little of it.
  engine::guest_thread().stack_reserve = 0;
  const engine::Trap trap = slot.instance.instantiate();
  engine::set_guest_stack(stack, stack + kStackBytes, kStackGuard, kStackReserve);
  if (trap != engine::Trap::kNone) return "the engine's module did not initialise";
  slot.header = header;
  if (!slot.memory.attach(elf_fd, *offset + engine::kSnapshotHeaderBytes,
                          engine::snapshot_memory(image))) {
    return "the snapshot could not be mapped";
  }
  engine::restore(slot.instance, *header);
  return nullptr;
}

engine::Instance& slot_instance() noexcept { return g_slot->instance; }
const engine::SnapshotHeader& slot_header() noexcept { return *g_slot->header; }

bool limit_slot_memory(std::uint64_t memory_bytes, std::uint32_t& heap_bytes) noexcept {
  Slot& slot = *g_slot;
  const std::uint64_t whole_pages = memory_bytes / engine::kWasmPage * engine::kWasmPage;
  if (whole_pages > slot.memory_bytes || whole_pages < least_memory(*slot.header)) return false;
  slot.memory.set_max_bytes(static_cast<std::size_t>(whole_pages));
  slot.instance.adopt_memory(slot.header->stack_pointer);
  heap_bytes = engine::heap_of(static_cast<std::uint32_t>(whole_pages));
  return true;
}

bool reset_slot(int pagemap_fd) noexcept {
  Slot& slot = *g_slot;
  if (!slot.memory.reset(pagemap_fd)) return false;
  if (::madvise(slot.stack, kStackBytes - kStackKept, MADV_DONTNEED) != 0) return false;
  engine::restore(slot.instance, *slot.header);
  return true;
}

void run_on_guest_stack(void (*body)()) noexcept {
  static ucontext_t context;
  if (::getcontext(&context) != 0) std::abort();
  context.uc_stack.ss_sp = g_slot->stack;
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  ::makecontext(&context, body, 0);
  ::setcontext(&context);
  std::abort();
}

}  // namespace plimsoll::worker
