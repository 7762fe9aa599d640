// Takes a container's output streams apart. An attached engine sends them in one, each piece behind
// a header of 8 bytes: the stream (1: stdout, 2: stderr), three zero bytes, the piece's size as 32
// bits, big-endian. The payload is the guest's and hostile; nothing is buffered here, so that a
// size is only ever counted down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::docker {

enum class StdioStream : std::uint8_t { kStdout = 1, kStderr = 2 };

class StdioDemux {
 public:
  enum class Status : std::uint8_t {
    kPiece,     // `bytes` of `stream`; may be a part of a piece
    kNeedMore,  // the input is used up
    kBroken,    // not the engine's framing; no further call makes sense
  };
  struct Piece {
    StdioStream stream = StdioStream::kStdout;
    std::span<const std::uint8_t> bytes;  // not empty; points into the input
  };

  // Takes the next piece, at most `most` bytes of it, off the front of `input`.
  [[nodiscard]] Status next(std::span<const std::uint8_t>& input, std::size_t most, Piece& piece);

  // Whether the input so far ended between two pieces.
  [[nodiscard]] bool between_pieces() const noexcept { return left_ == 0 && header_size_ == 0; }

 private:
  std::array<std::uint8_t, 8> header_{};
  std::size_t header_size_ = 0;
  StdioStream stream_ = StdioStream::kStdout;
  std::uint32_t left_ = 0;  // of the piece
};

}  // namespace plimsoll::docker
