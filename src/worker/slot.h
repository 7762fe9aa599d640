// The engine's slot that the zygote prepares and every worker inherits: linear memory attached to
// the snapshot, the instance, and a large stack of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/instance.h"
#include "engine/linear_memory.h"
#include "engine/snapshot.h"

namespace plimsoll::worker {

// The native stack that guest code runs on: the guest's 16,000 frames fit.
inline constexpr std::size_t kStackBytes = std::size_t{64} << 20;

// Makes the slot in static storage. `elf_fd` is this program's own file. Returns nullptr, or static
// text that says what failed.
[[nodiscard]] const char* prepare_slot(int elf_fd, std::size_t memory_bytes) noexcept;

// The slot; only after prepare_slot() succeeded.
[[nodiscard]] engine::Instance& slot_instance() noexcept;
[[nodiscard]] const engine::SnapshotHeader& slot_header() noexcept;
// Sets what the next run may use, at most what the slot was prepared with. False: less than the
// engine needs. `heap_bytes` is the JavaScript heap's part of it.
[[nodiscard]] bool limit_slot_memory(std::uint64_t memory_bytes,
                                     std::uint32_t& heap_bytes) noexcept;

// Byte-identical to the snapshot again, registers of the module included. False: give the worker
// up.
[[nodiscard]] bool reset_slot(int pagemap_fd) noexcept;

// Runs `body` on the guest's stack; does not return.
[[noreturn]] void run_on_guest_stack(void (*body)()) noexcept;

}  // namespace plimsoll::worker
