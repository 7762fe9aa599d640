// The host's end of the guest channel: one exchange at a time with a guest that may lie, stall, or
// send anything at all. Knows frames and a socket, no process: who owns the guest ends it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "guest/frame.h"

namespace plimsoll::guest {

// How one exchange went. After anything but kDone the guest must be ended.
enum class RunStatus : std::uint8_t {
  kDone,           // `done` and the output are the guest's
  kNotDispatched,  // the guest was gone before it got the first byte
  kStopped,        // it did not end in time
  kLost,           // it was gone during the run
  kBroken,         // it broke the protocol
};

struct RunReport {
  RunStatus status = RunStatus::kLost;
  Done done;
  std::string stdout_bytes;  // at most RunHeader::output_cap bytes each, whatever the guest sends
  std::string stderr_bytes;
  std::chrono::microseconds duration{0};
};

// Used by one thread at a time. Every call returns by its `until`. Never raises SIGPIPE.
class GuestChannel {
 public:
  using Clock = std::chrono::steady_clock;

  // A stream socket; blocking or not makes no difference.
  explicit GuestChannel(UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  // Waits for kReady. False: something else came, or nothing.
  [[nodiscard]] bool await_ready(Clock::time_point until);

  // Sends one run and collects its end. Output beyond run.output_cap, a frame that does not belong
  // here, and bytes behind kDone are a broken protocol. `code` is at most kMaxCodePayload long.
  [[nodiscard]] RunReport run(const RunHeader& run, std::string_view code, Clock::time_point until);

  // Asks a throwaway worker to try a forbidden act (worker/probe.h); its answer, or nullopt when
  // there was none.
  [[nodiscard]] std::optional<std::uint8_t> probe(std::uint8_t act, Clock::time_point until);

  void close() noexcept { socket_.reset(); }

 private:
  enum class Io : std::uint8_t { kOk, kTimeout, kGone, kBroken };
  [[nodiscard]] Io send(std::span<const std::uint8_t> head, std::string_view body,
                        Clock::time_point until, std::size_t& sent);
  [[nodiscard]] Io next_frame(FrameReader::Frame& frame, Clock::time_point until);
  [[nodiscard]] Io wait(short events, Clock::time_point until);
  [[nodiscard]] Io collect(const RunHeader& run, Clock::time_point until, RunReport& report);

  UniqueFd socket_;
  FrameReader reader_;
};

}  // namespace plimsoll::guest
