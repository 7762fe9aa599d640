// One datagram with file descriptors over a Unix socket (SCM_RIGHTS, unix(7)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/unique_fd.h"

namespace plimsoll {

inline constexpr std::size_t kMaxMessageFds = 2;

// Sends `bytes` as one datagram with `fds` (at most kMaxMessageFds; they stay the caller's).
// Returns 0 or an errno. Never raises SIGPIPE.
[[nodiscard]] int send_message(int socket, std::span<const std::byte> bytes,
                               std::span<const int> fds) noexcept;

struct ReceivedMessage {
  int error = 0;         // an errno; EPIPE when the peer is gone
  std::size_t size = 0;  // bytes received
  std::array<UniqueFd, kMaxMessageFds> fds;
};

// Receives one datagram into `buffer`. A longer one, or one with more descriptors than fit, is an
// error (EMSGSIZE) and loses nothing of ours: surplus descriptors are closed by the kernel.
[[nodiscard]] ReceivedMessage receive_message(int socket, std::span<std::byte> buffer) noexcept;

}  // namespace plimsoll
