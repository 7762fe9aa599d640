// Any stream in any pieces: the frames that come out are the bytes that went in, none is larger
// than its kind's bound, and how the stream was cut makes no difference. Input: one byte with the
// number n of piece sizes (and 128: calls are admitted), n bytes of them, the stream.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "guest/frame.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;
using plimsoll::guest::FrameReader;

struct Read {
  std::vector<std::uint8_t> frames;  // encoded again
  bool broken = false;
};

std::size_t bound_of(plimsoll::guest::FrameKind kind) {
  return kind == plimsoll::guest::FrameKind::kHostCall ? plimsoll::guest::kMaxHostCallPayload
                                                       : plimsoll::guest::kMaxGuestPayload;
}

Read read(std::span<const std::uint8_t> stream, std::span<const std::uint8_t> pieces,
          plimsoll::guest::Calls calls) {
  Read result;
  FrameReader reader;
  reader.admit_calls(calls);
  FrameReader::Frame frame;
  std::size_t at = 0;
  for (std::size_t step = 0;; ++step) {
    switch (reader.next(frame)) {
      case FrameReader::Status::kFrame: {
        require(frame.payload.size() <= bound_of(frame.kind), "the payload's bound");
        require(calls == plimsoll::guest::Calls::kAdmitted ||
                    frame.kind != plimsoll::guest::FrameKind::kHostCall,
                "no call where none is admitted");
        const auto header = plimsoll::guest::encode_header(
            {.size = static_cast<std::uint32_t>(frame.payload.size()), .kind = frame.kind});
        result.frames.insert(result.frames.end(), header.begin(), header.end());
        result.frames.insert(result.frames.end(), frame.payload.begin(), frame.payload.end());
        continue;
      }
      case FrameReader::Status::kBroken:
        result.broken = true;
        return result;
      case FrameReader::Status::kNeedMore:
        break;
    }
    if (at == stream.size()) {
      require(reader.empty() == (result.frames.size() == stream.size()), "empty() knows the rest");
      return result;
    }
    const auto space = reader.space();
    require(!space.empty(), "there is always room for another byte");
    const std::size_t wanted = pieces.empty() ? stream.size() : 1U + pieces[step % pieces.size()];
    const std::size_t size = std::min({wanted, space.size(), stream.size() - at});
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, space.begin());
    reader.filled(size);
    at += size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const std::size_t count = std::min<std::size_t>(input[0] & 127U, size - 1);
  const auto calls =
      (input[0] & 128U) != 0 ? plimsoll::guest::Calls::kAdmitted : plimsoll::guest::Calls::kRefused;
  const auto stream = input.subspan(1 + count);
  const Read whole = read(stream, {}, calls);
  require(whole.frames.size() <= stream.size() &&
              std::equal(whole.frames.begin(), whole.frames.end(), stream.begin()),
          "the frames are the stream's bytes");
  const Read pieces = read(stream, input.subspan(1, count), calls);
  require(pieces.frames == whole.frames && pieces.broken == whole.broken,
          "the pieces make no difference");
  return 0;
}
