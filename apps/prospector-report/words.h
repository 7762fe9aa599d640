// Numbers and hostile text, for people.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::prospector {

// "1,204".
[[nodiscard]] std::string thousands(std::uint64_t number);

// "340 ms", "4.2 s", "3 min 20 s", "5 h 12 min".
[[nodiscard]] std::string duration_words(std::uint64_t ms);

// "812 B", "4.2 KiB", up to TiB.
[[nodiscard]] std::string size_words(std::uint64_t bytes);

// "2026-11-29".
[[nodiscard]] std::string day_words(std::chrono::sys_days day);

// "1 run", "2 runs".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view many);

// `text` with what one cannot see spelled out, as [U+202E]: control characters, marks that turn
// the direction of the text around, characters without width, separators of lines. Bytes that are
// no UTF-8 become U+FFFD. At most `most` characters of it, then an ellipsis. No HTML is escaped.
[[nodiscard]] std::string visible(std::string_view text, std::size_t most = 256);

}  // namespace plimsoll::prospector
