#include "providers/docker/stdio_demux.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace plimsoll::docker {
namespace {

std::string piece(char stream, std::string_view payload) {
  std::string bytes(8, '\0');
  bytes[0] = stream;
  bytes[6] = static_cast<char>(payload.size() >> 8);
  bytes[7] = static_cast<char>(payload.size() & 0xff);
  return bytes + std::string(payload);
}

struct Taken {
  std::string out;
  std::string err;
  StdioDemux::Status last = StdioDemux::Status::kNeedMore;
  bool between = false;
};

// Feeds the bytes in chunks of `chunk`, taking at most `most` bytes at once.
Taken taken(std::string_view bytes, std::size_t chunk, std::size_t most) {
  Taken taken;
  StdioDemux demux;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    const std::string_view part = bytes.substr(at, chunk);
    std::span<const std::uint8_t> input(reinterpret_cast<const std::uint8_t*>(part.data()),
                                        part.size());
    for (;;) {
      StdioDemux::Piece piece;
      taken.last = demux.next(input, most, piece);
      if (taken.last == StdioDemux::Status::kBroken) return taken;
      if (taken.last == StdioDemux::Status::kNeedMore) break;
      EXPECT_LE(piece.bytes.size(), most);
      EXPECT_FALSE(piece.bytes.empty());
      std::string& to = piece.stream == StdioStream::kStdout ? taken.out : taken.err;
      to.append(piece.bytes.begin(), piece.bytes.end());
    }
    EXPECT_TRUE(input.empty());
  }
  taken.between = demux.between_pieces();
  return taken;
}

TEST(StdioDemux, StreamsComeApartHoweverTheyArrive) {
  const std::string bytes =
      piece(1, "one ") + piece(2, "an error") + piece(1, "") + piece(1, std::string(300, 'x'));
  for (const std::size_t chunk : {1U, 2U, 7U, 8U, 9U, 1000U}) {
    for (const std::size_t most : {1U, 5U, 1000U}) {
      const Taken got = taken(bytes, chunk, most);
      EXPECT_EQ(got.out, "one " + std::string(300, 'x')) << chunk << " " << most;
      EXPECT_EQ(got.err, "an error");
      EXPECT_TRUE(got.between);
    }
  }
}

TEST(StdioDemux, AnUnfinishedPieceIsSeen) {
  EXPECT_FALSE(taken(piece(1, "abc").substr(0, 10), 100, 100).between);
  EXPECT_FALSE(taken(piece(1, "abc").substr(0, 3), 100, 100).between);
}

TEST(StdioDemux, WhatIsNoHeaderIsBroken) {
  for (const char stream : {'\0', '\3', 'H', '\xff'}) {
    EXPECT_EQ(taken(piece(stream, "x"), 100, 100).last, StdioDemux::Status::kBroken);
  }
  std::string reserved = piece(1, "x");
  reserved[2] = 1;
  EXPECT_EQ(taken(reserved, 100, 100).last, StdioDemux::Status::kBroken);
}

TEST(StdioDemux, TheGreatestSizeIsOnlyCountedDown) {
  std::string bytes = piece(1, "");
  for (std::size_t i = 4; i < 8; ++i) bytes[i] = '\xff';
  const Taken got = taken(bytes + "abc", 100, 100);
  EXPECT_EQ(got.out, "abc");
  EXPECT_FALSE(got.between);
}

}  // namespace
}  // namespace plimsoll::docker
