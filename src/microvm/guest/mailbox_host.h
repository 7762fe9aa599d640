// What the guest image gives the engine: clocks from the time-stamp counter, and the rest by the
// mailbox. The counterpart of the worker's GuestRunner.
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine_host.h"
#include "guest/frame.h"
#include "microvm/mailbox.h"

namespace plimsoll::microvm {

// The page that is shared with the VMM.
[[nodiscard]] inline volatile Mailbox& mailbox() noexcept {
  return *reinterpret_cast<volatile Mailbox*>(kMailbox);
}

// The VMM's turn; returns when it has done what was asked.
void hypercall(Hypercall number) noexcept;

// One run's host. Output lies in the windows, where the VMM finds it even when it stops the guest
// in the middle.
class MailboxHost final : public engine::EngineHost {
 public:
  // A run has just come.
  void begin(const guest::RunHeader& run) noexcept;
  // Ends the run. The VMM restores the machine: does not return.
  [[noreturn]] void finish(const guest::Done& done) noexcept;

  [[nodiscard]] std::uint64_t wall_ns() noexcept override;
  [[nodiscard]] std::uint64_t monotonic_ns() noexcept override;
  void fill_random(std::span<std::uint8_t> out) noexcept override;
  [[nodiscard]] engine::WriteVerdict write(engine::Stream stream,
                                           std::span<const std::uint8_t> bytes) noexcept override;
  [[nodiscard]] bool deadline_passed() noexcept override;
  [[nodiscard]] bool output_is_due() noexcept override;
  void send_output() noexcept override;
  void sleep_ns(std::uint64_t ns) noexcept override;
  [[nodiscard]] bool call_host(const engine::HostCall& call) noexcept override;
  [[nodiscard]] engine::ReplyWait await_reply(std::uint64_t ns,
                                              engine::HostReply& reply) noexcept override;
  void take_reply(std::span<std::uint8_t> into) noexcept override;

 private:
  // The VMM's turn, after which its clocks are taken over.
  void ask(Hypercall number) noexcept;
  void take_clocks() noexcept;
  [[nodiscard]] bool has_output() const noexcept;

  guest::RunHeader run_;
  std::uint64_t ticks_ = 0;  // the counter when the VMM's clocks were taken over
  std::uint64_t wall_base_ = 0;
  std::uint64_t monotonic_base_ = 0;
  std::uint64_t monotonic_last_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t kept_[2] = {};
  std::uint64_t buffered_since_ns_ = 0;
  std::size_t reply_taken_ = 0;
};

}  // namespace plimsoll::microvm
