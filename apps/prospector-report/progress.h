// How far it is, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace plimsoll::prospector {

// Writes over one line of standard error, ten times a second at most; nothing when that is no
// terminal. The line is removed when this goes. Not for concurrent use.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // Cheap: looks at the clock once in 1024 calls.
  void tell(std::uint64_t lines, std::uint64_t bytes);

 private:
  bool on_terminal_;
  bool shown_ = false;
  std::uint64_t calls_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace plimsoll::prospector
