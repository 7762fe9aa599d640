// The guest image: the engine, alone in a machine. It boots once, for the template; every machine
// begins behind the second hypercall, runs one snippet, and is restored by the VMM.
#include <new>

#include "engine/instance.h"
#include "engine/linear_memory.h"
#include "engine/run.h"
#include "engine/snapshot.h"
#include "guest/frame.h"
#include "microvm/guest/mailbox_host.h"
#include "microvm/layout.h"

namespace plimsoll::microvm {
namespace {

constexpr std::size_t kStackReserve = std::size_t{256} << 10;
// The stack's guard, as far as the engine asks: whatever hits it ends the machine.
constexpr std::size_t kStackGuard = kPage;

// In the image's data: nothing here is ever destroyed.
struct Slot {
  engine::LinearMemory memory{kMaxLinearBytes};
  engine::Instance instance{memory};
  MailboxHost host;
};
alignas(Slot) constinit std::uint8_t g_slot[sizeof(Slot)] = {};

[[noreturn]] void panic() noexcept {
  for (;;) hypercall(Hypercall::kPanic);
}

const engine::SnapshotHeader& header() noexcept {
  return *reinterpret_cast<const engine::SnapshotHeader*>(kHeader);
}

std::size_t whole_pages(std::uint64_t bytes) noexcept {
  return static_cast<std::size_t>(bytes / engine::kWasmPage * engine::kWasmPage);
}

[[noreturn]] void run(Slot& slot) noexcept {
  const std::span payload(reinterpret_cast<const std::uint8_t*>(kRunArea), mailbox().run_bytes);
  const auto run = guest::decode_run(payload);
  if (!run) panic();
  const std::size_t bytes = whole_pages(run->memory_bytes);
  // The image, and room for a heap that is worth the name.
  if (bytes > mailbox().memory_bytes || bytes < header().memory_bytes + engine::kWasmPage) panic();
  slot.memory.set_max_bytes(bytes);
  slot.instance.adopt_memory(header().stack_pointer);
  slot.host.begin(*run);
  const std::uint64_t started = slot.host.monotonic_ns();
  const auto text = payload.subspan(guest::kRunHeaderBytes);
  const engine::GrantedClient client{
      .global = text.first(run->global_bytes),
      .preamble = text.subspan(run->global_bytes, run->preamble_bytes)};
  const engine::RunEnd end = engine::run_snippet(
      slot.instance, header(), text.subspan(run->global_bytes + run->preamble_bytes), slot.host,
      engine::heap_of(static_cast<std::uint32_t>(bytes)), client);
  slot.host.finish({.cause = static_cast<guest::DoneCause>(end.cause),
                    .stdout_truncated = mailbox().truncated[0] != 0,
                    .stderr_truncated = mailbox().truncated[1] != 0,
                    .exit_code = static_cast<std::uint8_t>(end.exit_code),
                    .trap = static_cast<std::uint8_t>(end.trap),
                    .engine_ns = slot.host.monotonic_ns() - started});
}

[[noreturn]] void boot() noexcept {
  Slot& slot = *new (static_cast<void*>(g_slot)) Slot;
  engine::set_guest_stack(kStackAddress, kStackAddress + kStackBytes, kStackGuard, kStackReserve);
  if (slot.instance.instantiate() != engine::Trap::kNone) panic();
  hypercall(Hypercall::kBooted);
  const std::span<const std::uint8_t> image(slot.memory.base(), header().memory_bytes);
  if (!slot.memory.attach(-1, 0, image)) panic();
  engine::restore(slot.instance, header());
  hypercall(Hypercall::kReady);
  run(slot);
}

}  // namespace
}  // namespace plimsoll::microvm

// The VMM has set the stack, the thread pointer and the segment of the linear memory.
extern "C" [[noreturn]] void plimsoll_guest_start();
void plimsoll_guest_start() { plimsoll::microvm::boot(); }
