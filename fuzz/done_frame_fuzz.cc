// What is decoded of a kDone payload encodes to the same bytes, so that no bit of a guest's is
// ignored.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "guest/frame.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::span<const std::uint8_t> payload(data, size);
  const auto done = plimsoll::guest::decode_done(payload);
  if (!done) return 0;
  const auto again = plimsoll::guest::encode(*done);
  require(std::equal(again.begin(), again.end(), payload.begin(), payload.end()),
          "decode, encode: the same bytes");
  return 0;
}
