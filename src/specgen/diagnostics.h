// What is wrong with a document, and where. Collected, so that one run names every mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::specgen {

// A place in the document; both count from 1, columns in bytes. 0, 0: the document as a whole.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend auto operator<=>(const Mark&, const Mark&) = default;
};

enum class Severity : std::uint8_t { kWarning, kError };

struct Diagnostic {
  Severity severity = Severity::kWarning;
  Mark mark;
  std::string message;  // for people, on one line, without control bytes; no full stop
};

// Errors make the document unusable; warnings say what of it is lost or surprising. A message that
// stands there already, at the same place, is not repeated; beyond kMost only the number grows.
class Diagnostics {
 public:
  static constexpr std::size_t kMost = 1000;

  void warn(Mark mark, std::string message) { add(Severity::kWarning, mark, std::move(message)); }
  void error(Mark mark, std::string message) { add(Severity::kError, mark, std::move(message)); }

  [[nodiscard]] bool has_errors() const noexcept { return errors_ != 0; }
  [[nodiscard]] std::size_t errors() const noexcept { return errors_; }
  [[nodiscard]] std::size_t warnings() const noexcept { return warnings_; }
  [[nodiscard]] std::size_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const noexcept { return all_; }

 private:
  void add(Severity severity, Mark mark, std::string message);

  std::vector<Diagnostic> all_;
  std::set<std::string> seen_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t dropped_ = 0;
};

// "line 3, column 7: warning: ..."; without a place for the document as a whole.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

// `text` of the document for a message: in quotes, one line, cut after 80 bytes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace plimsoll::specgen
