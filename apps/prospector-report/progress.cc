#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "../plimsoll/output.h"
#include "words.h"

namespace plimsoll::prospector {

Progress::Progress()
    : on_terminal_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (!shown_) return;
  [[maybe_unused]] const auto written = cli::write_all(STDERR_FILENO, "\r\x1b[K");
}

void Progress::tell(std::uint64_t lines, std::uint64_t bytes) {
  if (!on_terminal_ || (calls_++ & 1023U) != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  [[maybe_unused]] const auto written = cli::write_all(
      STDERR_FILENO, fmt::format("\r\x1b[K{} lines, {} read", thousands(lines), size_words(bytes)));
}

}  // namespace plimsoll::prospector
