// What is decoded of a kRun payload encodes to the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "guest/frame.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::span<const std::uint8_t> payload(data, size);
  const auto run = plimsoll::guest::decode_run(payload);
  require(run.has_value() ==
              (size >= plimsoll::guest::kRunHeaderBytes &&
               size <= plimsoll::guest::kRunHeaderBytes + plimsoll::guest::kMaxCodePayload),
          "only the size decides");
  if (!run) return 0;
  const auto again = plimsoll::guest::encode(*run);
  require(std::equal(again.begin(), again.end(), payload.begin()),
          "decode, encode: the same bytes");
  return 0;
}
