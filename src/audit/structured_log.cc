#include "audit/structured_log.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "audit/audit_line.h"
#include "audit/json_object.h"

namespace plimsoll {
namespace {

constexpr int kPatienceMs = 100;
constexpr std::string_view kCut = "...";

std::string bounded(std::string_view text) {
  if (text.size() <= kMaxLogValueBytes) return std::string(text);
  return std::string(text.substr(0, kMaxLogValueBytes)) + std::string(kCut);
}

// Bare when nothing in it can be mistaken; else as a JSON string.
std::string text_value(std::string_view text) {
  const auto bare = [](char c) {
    return c > 0x20 && c < 0x7F && c != '"' && c != '=' && c != '\\';
  };
  if (!text.empty() && std::ranges::all_of(text, bare)) return std::string(text);
  return json_string(text);
}

std::string json_line(Clock::Wall time, LogLevel level, LogText event,
                      std::initializer_list<LogField> fields) {
  JsonObject json;
  json.text("time", to_rfc3339(time))
      .text("stream", "log")
      .text("level", to_string(level))
      .text("event", event.get());
  for (const LogField& field : fields) {
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      json.number(field.name.get(), *number);
    } else {
      json.text(field.name.get(), bounded(std::get<std::string_view>(field.value)));
    }
  }
  return json.take() + "\n";
}

std::string text_line(Clock::Wall time, LogLevel level, LogText event,
                      std::initializer_list<LogField> fields) {
  std::string line = fmt::format("{} {:<7} {}", to_rfc3339(time), to_string(level), event.get());
  for (const LogField& field : fields) {
    const auto* number = std::get_if<std::int64_t>(&field.value);
    line += fmt::format(" {}={}", field.name.get(),
                        number != nullptr
                            ? std::to_string(*number)
                            : text_value(bounded(std::get<std::string_view>(field.value))));
  }
  return line + "\n";
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string format_log_line(LogFormat format, Clock::Wall time, LogLevel level, LogText event,
                            std::initializer_list<LogField> fields) {
  return format == LogFormat::kJson ? json_line(time, level, event, fields)
                                    : text_line(time, level, event, fields);
}

StructuredLog::Sink stderr_log_sink() {
  return [](std::string_view line) {
    pollfd wait{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&wait, 1, kPatienceMs) <= 0) return;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  };
}

}  // namespace plimsoll
