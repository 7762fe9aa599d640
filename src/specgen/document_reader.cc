#include "specgen/document_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace plimsoll::specgen {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Mark place_of(std::string_view before) {
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') + 1;  // 0 when there is none
  return {.line = static_cast<std::uint32_t>(lines + 1),
          .column = static_cast<std::uint32_t>(before.size() - start + 1)};
}

// The first byte that begins no character, or a NUL, which no text has.
std::optional<std::size_t> not_text(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    if (rest.front() > 0) {
      rest.remove_prefix(1);
      continue;
    }
    const Utf8Character character = first_utf8_character(rest);
    if (!character.valid || character.code_point == 0) return bytes.size() - rest.size();
    rest.remove_prefix(character.size);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Document> read_document(std::string_view bytes, const DocumentLimits& limits,
                                      Diagnostics& diagnostics) {
  if (bytes.size() > limits.max_bytes) {
    diagnostics.error({}, fmt::format("the document has more than {} bytes", limits.max_bytes));
    return std::nullopt;
  }
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (const auto at = not_text(bytes)) {
    diagnostics.error(place_of(bytes.substr(0, *at)), "is not UTF-8 text from here on");
    return std::nullopt;
  }
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    diagnostics.error({}, "the document is empty");
    return std::nullopt;
  }
  const bool json = bytes[first] == '{' || bytes[first] == '[';
  return json ? read_json(bytes, limits, diagnostics) : read_yaml(bytes, limits, diagnostics);
}

}  // namespace plimsoll::specgen
