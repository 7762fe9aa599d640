// A real plimsolld with two workers as a child, with a caller of its own, for the benchmarks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::bench {

class DaemonChild {
 public:
  // Starts the one of this build and waits until it listens. Ends the process when it does not.
  explicit DaemonChild(std::string_view provider = "wasm");
  DaemonChild(const DaemonChild&) = delete;
  DaemonChild& operator=(const DaemonChild&) = delete;
  // Kills it, and its workers with it.
  ~DaemonChild();

  [[nodiscard]] std::string url() const;
  [[nodiscard]] unsigned port() const noexcept { return port_; }
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  // From the start of the program to the first connection that it took.
  [[nodiscard]] std::chrono::steady_clock::duration start() const noexcept { return start_; }
  // Of the daemon's own process, in KiB: what is resident, and what of that is shared with nobody.
  [[nodiscard]] double resident_kib() const { return memory_kib("Rss:"); }
  [[nodiscard]] double private_kib() const;
  // Resident memory of the daemon and all its workers, shared pages counted by their share (PSS).
  [[nodiscard]] double family_pss_kib() const;

 private:
  [[nodiscard]] double memory_kib(const std::string& row) const;

  std::string folder_;
  std::string token_;
  unsigned port_ = 0;
  pid_t pid_ = -1;
  std::chrono::steady_clock::duration start_{0};
};

}  // namespace plimsoll::bench
