// Retry-After of a hostile API: the pause stays within its bounds, whatever stands there and
// whenever it is read. Input: eight bytes of the time, then the field.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "broker/retry_after.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  std::uint64_t seed = 0;
  if (size < sizeof seed) return 0;
  std::memcpy(&seed, data, sizeof seed);
  // 1970 to 2262, which is what a clock of nanoseconds holds.
  const std::chrono::system_clock::time_point now{std::chrono::nanoseconds(seed >> 1U)};
  const std::string_view field(reinterpret_cast<const char*>(data) + sizeof seed,
                               size - sizeof seed);
  const auto pause = plimsoll::pause_of(field, now);
  require(pause >= plimsoll::kLeastPause && pause <= plimsoll::kGreatestPause, "within its bounds");
  require(plimsoll::pause_of(field, now) == pause, "the same again");
  if (const auto date = plimsoll::parse_http_date(field, now)) {
    require(field.size() >= 24 && field.size() <= 33, "a date has the length of one");
    if (*date <= std::chrono::floor<std::chrono::seconds>(now)) {
      require(pause == plimsoll::kLeastPause, "a time that is past");
    }
  }
  return 0;
}
