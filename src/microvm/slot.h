// A machine that serves one run after the other, and is the template again before each.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "microvm/machine.h"
#include "microvm/template.h"

namespace plimsoll::microvm {

class Slot {
 public:
  // Both outlive this.
  Slot(Machine& machine, const Template& origin) noexcept : machine_(machine), origin_(origin) {}

  // Puts a run into the machine. `payload` is at most guest::kMaxRunPayload long.
  [[nodiscard]] std::span<std::uint8_t> run_area(std::size_t payload) noexcept;
  // Where the answer to a host call goes, at most kMaxReplyBytes.
  [[nodiscard]] std::span<std::uint8_t> reply_area(std::size_t bytes) noexcept;

  [[nodiscard]] Machine& machine() noexcept { return machine_; }

  // Every byte of memory and the whole state of the processor, as they were. False: in doubt, and
  // the machine must not be used again.
  [[nodiscard]] bool reset() noexcept;

 private:
  [[nodiscard]] bool restore_memory() noexcept;

  Machine& machine_;
  const Template& origin_;
  // What this process wrote itself, which KVM does not log.
  std::size_t run_bytes_ = 0;
  std::size_t reply_bytes_ = 0;
};

}  // namespace plimsoll::microvm
