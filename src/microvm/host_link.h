// The VMM's end of the guest channel: whole frames, and no allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "guest/frame.h"
#include "microvm/exchange.h"

namespace plimsoll::microvm {

// Every method: false, or nothing, when the host is gone.
class HostLink {
 public:
  explicit HostLink(int socket) noexcept : socket_(socket) {}

  [[nodiscard]] std::optional<guest::FrameHeader> next_header() const noexcept;
  [[nodiscard]] bool read(std::span<std::uint8_t> into) const noexcept;
  // Reads this many bytes and drops them.
  [[nodiscard]] bool skip(std::size_t bytes) const noexcept;
  // Waits for bytes, for `ns` nanoseconds at most; a signal may end the wait, too.
  [[nodiscard]] bool readable_within(std::uint64_t ns) const noexcept;

  [[nodiscard]] bool send(guest::FrameKind kind,
                          std::span<const std::uint8_t> payload) const noexcept;
  // The output; then, when there are, how the machine failed and how the run ended. One system
  // call.
  [[nodiscard]] bool send_output(const Output& output, const guest::Fault* fault = nullptr,
                                 const guest::Done* done = nullptr) const noexcept;

 private:
  int socket_;
};

}  // namespace plimsoll::microvm
