// The daemon's log: one event a line on stderr, as JSON or as text for people. The event is a
// literal of ours, and what varies stands in fields, escaped: a peer that controls a value forges
// no line.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"

namespace plimsoll {

enum class LogFormat : std::uint8_t { kJson, kText };
enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

// "info", "warning", "error".
[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

// Text that is known when the program is compiled; anything else does not compile here.
class LogText {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): so that a literal is all that a call needs.
  consteval LogText(const char* text) : text_(text) {}
  [[nodiscard]] std::string_view get() const noexcept { return text_; }

 private:
  std::string_view text_;
};

// A field: its name, and text or a number. Never a token: whoever has one does not pass it here.
struct LogField {
  LogText name;
  std::variant<std::string_view, std::int64_t> value;
};

// Text beyond this many bytes of a value is cut, with "..." in its place.
inline constexpr std::size_t kMaxLogValueBytes = 2048;

// One line with its newline; visible ASCII only.
[[nodiscard]] std::string format_log_line(LogFormat format, Clock::Wall time, LogLevel level,
                                          LogText event, std::initializer_list<LogField> fields);

// Safe for concurrent use. What cannot be written is lost: the log never stops the service.
class StructuredLog {
 public:
  // Takes one whole line; called by one thread at a time or by several, as the sink can bear.
  using Sink = std::function<void(std::string_view)>;

  // `clock` outlives this.
  StructuredLog(LogFormat format, const Clock& clock, Sink sink)
      : format_(format), clock_(clock), sink_(std::move(sink)) {}

  void info(LogText event, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::kInfo, event, fields);
  }
  void warning(LogText event, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::kWarning, event, fields);
  }
  void error(LogText event, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::kError, event, fields);
  }

 private:
  void log(LogLevel level, LogText event, std::initializer_list<LogField> fields) const {
    sink_(format_log_line(format_, clock_.wall_now(), level, event, fields));
  }

  LogFormat format_;
  const Clock& clock_;
  Sink sink_;
};

// Writes to standard error, one write(2) a line; a reader that does not read loses lines, and does
// not hold anybody up for more than 100 ms.
[[nodiscard]] StructuredLog::Sink stderr_log_sink();

}  // namespace plimsoll
