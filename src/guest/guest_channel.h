// The host's end of the guest channel: one exchange at a time with a guest that may lie, stall, or
// send anything at all. Knows frames and a stream, no process: who owns the guest ends it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "guest/byte_stream.h"
#include "guest/frame.h"
#include "guest/frame_sink.h"
#include "guest/host_calls.h"
#include "guest/project_collector.h"
#include "guest/project_frames.h"

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
  std::optional<Fault> fault{};  // of a virtual machine; with DoneCause::kEngineFault only
  std::string stdout_bytes;  // at most RunHeader::output_cap bytes each, whatever the guest sends
  std::string stderr_bytes;
  std::chrono::microseconds duration{0};
  // Answers were still due when the run ended. The guest must be ended, too: the next run would
  // find them.
  bool calls_left = false;
};

// The code of a run, and what it was granted.
struct RunText {
  std::string_view code{};      // at most kMaxCodePayload bytes
  std::string_view global{};    // the name of the API's client; empty: no API
  std::string_view preamble{};  // at most kMaxPreambleBytes
  HostCalls* calls = nullptr;   // answers the calls; null exactly when `global` is empty
  // For so long the answer is looked for without sleeping: an end that comes soon is seen at once,
  // and a processor that sleeps takes longer to wake than a short run takes. Costs a processor.
  std::chrono::microseconds look{0};
};

// The same of a project. What of the collector's content is known to be true depends on the status.
struct ProjectReport {
  RunStatus status = RunStatus::kLost;
  std::chrono::microseconds duration{0};
};

// Used by one thread at a time. Every call returns by its `until`. Never raises SIGPIPE.
class GuestChannel {
 public:
  using Clock = std::chrono::steady_clock;

  explicit GuestChannel(std::unique_ptr<ByteStream> stream) noexcept : stream_(std::move(stream)) {}
  // A stream socket; blocking or not makes no difference.
  explicit GuestChannel(UniqueFd socket)
      : GuestChannel(std::make_unique<SocketStream>(std::move(socket))) {}

  // Waits for kReady. False: something else came, or nothing.
  [[nodiscard]] bool await_ready(Clock::time_point until);

  // Sends one run, answers its calls, and collects its end. Output beyond run.output_cap, a frame
  // that does not belong here, more than kMaxUnanswered calls at once, and bytes behind kDone are a
  // broken protocol. What is there when `until` has passed is still taken, without waiting for
  // more; it may be the end. The sizes in `run` are filled in.
  [[nodiscard]] RunReport run(RunHeader run, const RunText& text, Clock::time_point until);

  // Sends a project's run, answers its calls, and hands what comes back to `collector`, whose
  // bounds are the run's. `calls` is null exactly when the run has no global. A frame that the
  // collector does not take is a broken protocol.
  [[nodiscard]] ProjectReport run_project(const ProjectRunFrame& run, HostCalls* calls,
                                          ProjectCollector& collector, Clock::time_point until);

  // Asks a throwaway worker to try a forbidden act (worker/probe.h); its answer, or nullopt when
  // there was none.
  [[nodiscard]] std::optional<std::uint8_t> probe(std::uint8_t act, Clock::time_point until);

  void close() noexcept { stream_.reset(); }

 private:
  enum class Io : std::uint8_t { kOk, kTimeout, kGone, kBroken };
  [[nodiscard]] Io send(std::span<const std::string_view> parts, Clock::time_point until,
                        std::size_t& sent);
  [[nodiscard]] Io next_frame(FrameReader::Frame& frame, Clock::time_point until);
  [[nodiscard]] Io wait(short events, Clock::time_point until);
  void look(Clock::time_point until);
  [[nodiscard]] RunStatus converse(std::span<const std::string_view> parts, FrameSink& sink,
                                   HostCalls* calls, Clock::time_point until,
                                   std::chrono::microseconds patience = {});
  [[nodiscard]] Io collect(FrameSink& sink, HostCalls* calls, Clock::time_point until);
  [[nodiscard]] Io collect_the_rest(FrameSink& sink, HostCalls* calls);
  [[nodiscard]] std::optional<Io> take_frames(FrameSink& sink, HostCalls* calls, bool late);
  [[nodiscard]] bool has_more() const noexcept;
  [[nodiscard]] Io take_call(std::span<const std::uint8_t> payload, HostCalls* calls);
  [[nodiscard]] Io exchange(HostCalls& calls, Clock::time_point until);
  void queue_answers(HostCalls& calls);
  [[nodiscard]] Io write_answers();
  [[nodiscard]] Io read_some();

  std::unique_ptr<ByteStream> stream_;
  FrameReader reader_;
  std::size_t unanswered_ = 0;        // calls whose answers have not gone out whole
  std::deque<std::string> outgoing_;  // answers, encoded, the first one in part
  std::size_t outgoing_sent_ = 0;     // bytes of the first one that are gone
};

}  // namespace plimsoll::guest
