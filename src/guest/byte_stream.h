// What carries the guest channel's bytes: a socket, or something that has to be unwrapped first.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/unique_fd.h"

namespace plimsoll::guest {

enum class StreamState : std::uint8_t {
  kMoved,   // at least one byte
  kWait,    // none now: wait for fd()
  kGone,    // the other side has gone
  kBroken,  // what came is not what this stream carries
};

struct StreamStep {
  StreamState state = StreamState::kWait;
  std::size_t bytes = 0;  // moved
};

// Used by one thread at a time. Nothing here blocks or raises SIGPIPE.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // What poll(2) waits for; stays the same. -1: it is closed.
  [[nodiscard]] virtual int fd() const noexcept = 0;

  // Whether read() has something to give that fd() does not show.
  [[nodiscard]] virtual bool buffered() const noexcept { return false; }

  // Into `space`, which is not empty.
  [[nodiscard]] virtual StreamStep read(std::span<std::uint8_t> space) = 0;

  // Out of `parts`, as one sequence of bytes, which is not empty.
  [[nodiscard]] virtual StreamStep write(std::span<const iovec> parts) = 0;

 protected:
  ByteStream() = default;
  ByteStream(const ByteStream&) = default;
  ByteStream& operator=(const ByteStream&) = default;
};

// A stream socket; blocking or not makes no difference.
class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(UniqueFd socket) noexcept : socket_(std::move(socket)) {}
  [[nodiscard]] int fd() const noexcept override { return socket_.get(); }
  [[nodiscard]] StreamStep read(std::span<std::uint8_t> space) override;
  [[nodiscard]] StreamStep write(std::span<const iovec> parts) override;

 private:
  UniqueFd socket_;
};

}  // namespace plimsoll::guest
