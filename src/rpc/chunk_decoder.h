// The chunked transfer coding (RFC 9112 section 7.1), strictly. Beast's own decoder asserts on some
// hostile input (1.81: a last chunk that comes in pieces), so it only parses heads here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll::rpc {

// A chunk's size is 1 to 8 hex digits, followed by ';' and an extension that is ignored, or by CR
// LF at once. Every line ends with CR LF and has no other control character. Trailers are dropped.
// All extensions and trailers of a body have at most kMaxIgnoredBytes.
class ChunkDecoder {
 public:
  static constexpr std::size_t kMaxIgnoredBytes = std::size_t{8} << 10;

  enum class State : std::uint8_t {
    kNeedMore,  // everything was consumed
    kData,      // `data` is part of the body
    kDone,      // the body has ended
    kBad,
  };
  struct Step {
    State state = State::kNeedMore;
    std::size_t consumed = 0;
    std::string_view data;  // within the bytes that were given
  };

  // Not after kDone or kBad.
  [[nodiscard]] Step step(std::string_view bytes) noexcept;

 private:
  enum class At : std::uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kLastLf,
  };
  // Takes a byte that is no data. False: it does not fit.
  [[nodiscard]] bool take(char c) noexcept;
  [[nodiscard]] bool take_size(char c) noexcept;
  [[nodiscard]] bool ignore(char c) noexcept;
  // Whether `c` is what was wanted; if so goes on to `next`.
  [[nodiscard]] bool expect(char c, char wanted, At next) noexcept;

  At at_ = At::kSize;
  bool done_ = false;
  std::uint8_t digits_ = 0;
  std::uint64_t left_ = 0;  // of the chunk
  std::size_t ignored_ = 0;
};

}  // namespace plimsoll::rpc
