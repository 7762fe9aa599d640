// What is decoded of a kRun payload encodes to the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "guest/frame.h"
#include "require.h"

namespace {

// Little-endian, as the frame has it.
std::size_t number_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = 256 * value + bytes[at + i];
  return value;
}

// The rule, written a second time.
bool is_sound(std::span<const std::uint8_t> payload) {
  if (payload.size() < 40) return false;
  const std::size_t global = number_at(payload, 32);
  const std::size_t preamble = number_at(payload, 36);
  return global <= 64 && preamble <= (2U << 20) && payload.size() - 40 >= global + preamble &&
         payload.size() - 40 - global - preamble <= (1U << 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::span<const std::uint8_t> payload(data, size);
  const auto run = plimsoll::guest::decode_run(payload);
  require(run.has_value() == is_sound(payload), "only the sizes decide");
  if (!run) return 0;
  const auto again = plimsoll::guest::encode(*run);
  require(std::equal(again.begin(), again.end(), payload.begin()),
          "decode, encode: the same bytes");
  return 0;
}
