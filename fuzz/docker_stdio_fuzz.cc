// A container's output as an engine frames it: however it is cut, the pieces are those of a plain
// reading of the whole. Input: one byte of how much is fed at once, one of how much is taken at
// once, the stream.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "providers/docker/stdio_demux.h"
#include "require.h"

namespace {

using plimsoll::docker::StdioDemux;
using plimsoll::docker::StdioStream;
using plimsoll::fuzz::require;

struct Read {
  std::string out[2];
  bool broken = false;
};

Read plain(std::span<const std::uint8_t> bytes) {
  Read read;
  while (bytes.size() >= 8) {
    if ((bytes[0] != 1 && bytes[0] != 2) || bytes[1] != 0 || bytes[2] != 0 || bytes[3] != 0) {
      read.broken = true;
      return read;
    }
    const std::size_t size = std::size_t{bytes[4]} << 24 | std::size_t{bytes[5]} << 16 |
                             std::size_t{bytes[6]} << 8 | bytes[7];
    std::string& to = read.out[bytes[0] - 1];
    bytes = bytes.subspan(8);
    const auto payload = bytes.first(std::min(size, bytes.size()));
    to.append(payload.begin(), payload.end());
    bytes = bytes.subspan(payload.size());
  }
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chunk = std::size_t{data[0]} + 1;
  const std::size_t most = std::size_t{data[1]} + 1;
  const std::span<const std::uint8_t> stream(data + 2, size - 2);
  const Read expected = plain(stream);
  Read read;
  StdioDemux demux;
  for (std::size_t at = 0; at < stream.size() && !read.broken; at += chunk) {
    auto input = stream.subspan(at, std::min(chunk, stream.size() - at));
    for (;;) {
      StdioDemux::Piece piece;
      const auto status = demux.next(input, most, piece);
      read.broken = status == StdioDemux::Status::kBroken;
      if (status != StdioDemux::Status::kPiece) break;
      require(!piece.bytes.empty() && piece.bytes.size() <= most, "a piece within its bound");
      read.out[piece.stream == StdioStream::kStdout ? 0 : 1].append(piece.bytes.begin(),
                                                                    piece.bytes.end());
    }
    require(read.broken || input.empty(), "all of the input is taken");
  }
  require(read.broken == expected.broken, "broken where a plain reading is");
  require(read.out[0] == expected.out[0] && read.out[1] == expected.out[1], "the same streams");
  return 0;
}
