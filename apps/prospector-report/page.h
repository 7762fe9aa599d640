// The report: one HTML page that holds everything it needs.
#pragma once

#include <string>
#include <string_view>

#include "tally.h"

namespace plimsoll::prospector {

// The page's parts, as they were when the program was built (page/ has them).
struct PageParts {
  std::string_view html;
  std::string_view style;
  std::string_view script;
};
[[nodiscard]] PageParts page_parts() noexcept;

// Rows of a table that are shown; a sentence tells of the rest.
inline constexpr std::size_t kMaxRowsShown = 500;

// The same tally gives the same bytes. Whatever a caller's id or a file's name is, it is text on
// the page: the template escapes it, and what cannot be seen is spelled out.
[[nodiscard]] std::string render(const Tally& tally, std::string_view title);

}  // namespace plimsoll::prospector
