// The names that a caller may choose freely, within a character set that is safe in a log line, a
// URL and a file name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// The name of a grant profile or of a provider: 1 to kMaxProfileNameBytes of A-Z a-z 0-9 . _ -
// Empty when there is none.
class WireName {
 public:
  WireName() = default;
  // nullopt: anything else, and nothing of it is kept.
  [[nodiscard]] static std::optional<WireName> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  explicit WireName(std::string_view text) : text_(text) {}
  std::string text_;
};

// A caller's own name for a run: 1 to kMaxTraceIdBytes of A-Z a-z 0-9 . _ : - Nothing else can be
// in one, so that it can be written into a log line as it is: a newline or an escape sequence from
// a hostile caller forges no entry. Empty when there is none.
class TraceId {
 public:
  TraceId() = default;
  // nullopt: drop it whole and say that it was dropped, never the text.
  [[nodiscard]] static std::optional<TraceId> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  explicit TraceId(std::string_view text) : text_(text) {}
  std::string text_;
};

}  // namespace plimsoll
