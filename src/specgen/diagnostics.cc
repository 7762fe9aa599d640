#include "specgen/diagnostics.h"

#include <fmt/format.h>

#include <utility>

#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kQuotedBytes = 80;

}  // namespace

void Diagnostics::add(Severity severity, Mark mark, std::string message) {
  std::size_t& count = severity == Severity::kError ? errors_ : warnings_;
  // The first error is kept whatever else was said: no refusal stands without its reason.
  if (all_.size() >= kMost && (severity != Severity::kError || errors_ > 0)) {
    ++count;
    ++dropped_;
    return;
  }
  if (!seen_.insert(fmt::format("{}:{}:{}", mark.line, mark.column, message)).second) return;
  ++count;
  all_.push_back({.severity = severity, .mark = mark, .message = std::move(message)});
}

std::string to_text(const Diagnostic& diagnostic) {
  const std::string_view word = diagnostic.severity == Severity::kError ? "error" : "warning";
  if (diagnostic.mark.line == 0) return fmt::format("{}: {}", word, diagnostic.message);
  return fmt::format("line {}, column {}: {}: {}", diagnostic.mark.line, diagnostic.mark.column,
                     word, diagnostic.message);
}

std::string quoted(std::string_view text) {
  return "'" + cut_at_word(one_line(text), kQuotedBytes) + "'";
}

}  // namespace plimsoll::specgen
