// One run in a machine, from the run's frame to its end: what the guest asks for by its hypercalls,
// and when it is stopped.
#pragma once

#include <cstdint>
#include <optional>

#include "guest/frame.h"
#include "microvm/host_link.h"
#include "microvm/slot.h"

namespace plimsoll::microvm {

// What is left after a run.
enum class RunLoopEnd : std::uint8_t {
  kReset,  // the machine is the template again
  kSpent,  // the machine has ended, or is in doubt; the host knows how the run ended
  kGone,   // the host is gone, or broke the protocol
};

class RunLoop {
 public:
  RunLoop(Slot& slot, const HostLink& link, std::uint64_t ns_per_tick) noexcept
      : slot_(slot), link_(link), ns_per_tick_(ns_per_tick) {}

  // Runs a snippet of ours in a machine that nobody has used yet, and resets it: the pages that any
  // run touches are then there, so that the first caller does not wait for them. Sends nothing.
  // False: the machine must not be used.
  [[nodiscard]] bool warm_up(std::size_t memory_bytes) noexcept;

  // The frame's header has been read; its payload follows.
  [[nodiscard]] RunLoopEnd run(std::uint32_t payload_bytes) noexcept;

 private:
  // nullopt: the run goes on.
  [[nodiscard]] std::optional<RunLoopEnd> serve(Hypercall call) noexcept;
  [[nodiscard]] std::optional<RunLoopEnd> flush() noexcept;
  [[nodiscard]] std::optional<RunLoopEnd> call_host() noexcept;
  [[nodiscard]] std::optional<RunLoopEnd> await_reply() noexcept;
  [[nodiscard]] bool take_reply() noexcept;
  [[nodiscard]] std::optional<RunLoopEnd> sleep() noexcept;
  [[nodiscard]] RunLoopEnd done() noexcept;
  [[nodiscard]] RunLoopEnd hard_stop() noexcept;
  [[nodiscard]] RunLoopEnd fault(guest::FaultReason reason, std::uint32_t detail) noexcept;
  [[nodiscard]] RunLoopEnd end(const Output& output, const guest::Done& done) noexcept;

  void set_clocks() noexcept;
  void fill_random(std::size_t bytes) noexcept;

  Slot& slot_;
  const HostLink& link_;
  std::uint64_t ns_per_tick_;
  std::uint64_t started_ns_ = 0;
  bool granted_ = false;
};

}  // namespace plimsoll::microvm
