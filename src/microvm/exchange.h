// What the guest left in its mailbox and its areas, read once and bounded. Pure: memory in, views
// or nothing out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "guest/frame.h"
#include "microvm/guest_memory.h"
#include "microvm/mailbox.h"

namespace plimsoll::microvm {

// What the guest wrote to its streams since it was last taken. Views of guest memory: good while
// the guest does not run.
struct Output {
  std::array<std::span<const std::uint8_t>, 2> streams{};  // stdout, stderr
  std::array<bool, 2> truncated{};

  [[nodiscard]] bool empty() const noexcept { return streams[0].empty() && streams[1].empty(); }
};
// nullopt: a window is not that large.
[[nodiscard]] std::optional<Output> output_of(const GuestMemory& memory) noexcept;

// The payload of the host call that the guest wants to make. nullopt: it is none.
[[nodiscard]] std::optional<std::span<const std::uint8_t>> call_of(
    const GuestMemory& memory) noexcept;

// How the guest says that its run ended. nullopt: it says nothing that can be.
[[nodiscard]] std::optional<guest::Done> done_of(const GuestMemory& memory) noexcept;

// How long the guest wants to wait; at most an hour.
[[nodiscard]] std::uint64_t sleep_of(const GuestMemory& memory) noexcept;

}  // namespace plimsoll::microvm
