// How long an API asks to be left alone: the Retry-After field (RFC 9110, 10.2.3) of a 429 or a
// 503.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace plimsoll {

inline constexpr std::chrono::milliseconds kLeastPause{1'000};
inline constexpr std::chrono::milliseconds kGreatestPause{30'000};

// One of the three forms of HTTP-date (RFC 9110, 5.6.7): IMF-fixdate, RFC 850's, asctime's; strict,
// to the byte. A two-digit year is the one at most 50 years ahead of `now`. nullopt for anything
// else, and for a day that no month has.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_http_date(
    std::string_view text, std::chrono::system_clock::time_point now);

// kLeastPause to kGreatestPause. Digits are seconds from now, a date is that time; what is less or
// more is clamped. Everything else, and no field at all, is kLeastPause.
[[nodiscard]] std::chrono::milliseconds pause_of(std::optional<std::string_view> retry_after,
                                                 std::chrono::system_clock::time_point now);

}  // namespace plimsoll
