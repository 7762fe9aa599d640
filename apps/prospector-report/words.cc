#include "words.h"

#include <fmt/format.h>

#include <array>

#include "base/utf8.h"

namespace plimsoll::prospector {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Controls; soft hyphen; Arabic letter mark; Mongolian separator; marks, joiners and directions;
// separators and embeddings; invisible operators; isolates; variation selectors; BOM; annotations;
// tags.
constexpr std::array kUnseen = {
    Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0xAD, 0xAD},     Range{0x61C, 0x61C},
    Range{0x180E, 0x180E}, Range{0x200B, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
    Range{0xFE00, 0xFE0F}, Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF},
};

bool is_unseen(char32_t character) {
  for (const Range& range : kUnseen) {
    if (character >= range.first && character <= range.last) return true;
  }
  return false;
}

}  // namespace

std::string thousands(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string duration_words(std::uint64_t ms) {
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::uint64_t s = ms / 1000;
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", thousands(s / 3600), s % 3600 / 60);
}

std::string size_words(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, kUnits.at(unit));
}

std::string day_words(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", thousands(number), number == 1 ? one : many);
}

std::string visible(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) {
      out += "…";
      break;
    }
    const Utf8Character character = first_utf8_character(text);
    if (!character.valid) {
      out += "\uFFFD";
    } else if (is_unseen(character.code_point)) {
      out += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(character.code_point));
    } else {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(character.size);
  }
  return out;
}

}  // namespace plimsoll::prospector
