// The guest channel: length-prefixed frames over a byte stream between the host and one guest.
//
// A frame is a header of 8 bytes (payload size as 32 bits, little-endian; the kind; three zero
// bytes) and its payload. The host sends kRun (and, to a throwaway worker, kProbe); the guest
// answers with kReady once, then for each run any number of kStdout and kStderr, and one kDone.
// Before a kDone that reports an engine fault, a virtual machine's monitor sends a kFault.
// In a run that was granted an API it may also send kHostCall, and gets a kHostReply for each, in
// whatever order the API answers. A project's run has frames of its own: guest/project_frames.h.
// Everything that comes from a guest is hostile: sizes are checked against kMaxGuestPayload before
// a byte is read, and an order or a field that does not fit is an error that costs the guest its
// life.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::guest {

enum class FrameKind : std::uint8_t {
  kRun = 1,
  kProbe = 2,
  kHostReply = 3,
  kProjectRun = 4,
  kReady = 16,
  kStdout = 17,
  kStderr = 18,
  kDone = 19,
  kProbeResult = 20,
  kHostCall = 21,
  kStepBegin = 22,
  kStepDone = 23,
  kArtifact = 24,
  kArtifactData = 25,
  kProjectDone = 26,
  kFault = 27,
};

inline constexpr std::size_t kHeaderBytes = 8;
inline constexpr std::size_t kMaxGuestPayload = std::size_t{64} << 10;
inline constexpr std::size_t kMaxCodePayload = std::size_t{1} << 20;

struct FrameHeader {
  std::uint32_t size = 0;
  FrameKind kind = FrameKind::kReady;
};

using HeaderBytes = std::array<std::uint8_t, kHeaderBytes>;
[[nodiscard]] HeaderBytes encode_header(FrameHeader header) noexcept;
// nullopt: an unknown kind or a non-zero reserved byte.
[[nodiscard]] std::optional<FrameHeader> decode_header(
    std::span<const std::uint8_t, kHeaderBytes> bytes) noexcept;

// The fixed part of kRun; the source text follows it.
struct RunHeader {
  std::uint64_t timeout_us = 0;    // the deadline, from the receipt of the frame
  std::uint64_t output_cap = 0;    // bytes kept of each stream; what is over is counted, not sent
  std::uint64_t flood_bytes = 0;   // bytes written in all at which the run is stopped
  std::uint64_t memory_bytes = 0;  // the guest's memory; at most what the worker was started with
  // Of a granted run: the name of the API's client, then the operator's JavaScript on top of it.
  // Their bytes stand between the fixed part and the source text. No name, no API.
  std::uint32_t global_bytes = 0;
  std::uint32_t preamble_bytes = 0;
};
inline constexpr std::size_t kRunHeaderBytes = 40;
inline constexpr std::size_t kMaxGlobalBytes = 64;
inline constexpr std::size_t kMaxPreambleBytes = std::size_t{2} << 20;
inline constexpr std::size_t kMaxRunPayload =
    kRunHeaderBytes + kMaxGlobalBytes + kMaxPreambleBytes + kMaxCodePayload;
[[nodiscard]] std::array<std::uint8_t, kRunHeaderBytes> encode(const RunHeader& run) noexcept;
// nullopt: shorter than what it says that it holds, or any part beyond its bound.
[[nodiscard]] std::optional<RunHeader> decode_run(std::span<const std::uint8_t> payload) noexcept;

// A call of the granted API. The guest's bytes, to be judged by whoever answers; each part may be
// one byte longer than what is acceptable, so that a longer one is seen and refused.
struct HostCall {
  std::uint32_t id = 0;  // chosen by the guest; its answer carries the same
  bool has_body = false;
  std::string_view method;
  std::string_view target;
  std::string_view body;
};
inline constexpr std::size_t kHostCallHeadBytes = 12;
inline constexpr std::size_t kMaxCallMethod = 16;
inline constexpr std::size_t kMaxCallTarget = std::size_t{64} << 10;
inline constexpr std::size_t kMaxCallBody = std::size_t{1} << 20;
inline constexpr std::size_t kMaxHostCallPayload =
    kHostCallHeadBytes + kMaxCallMethod + kMaxCallTarget + kMaxCallBody + 3;
// The fixed part; method, target and body follow.
[[nodiscard]] std::array<std::uint8_t, kHostCallHeadBytes> encode_head(
    const HostCall& call) noexcept;
// nullopt: a part is beyond its bound, a field is out of its range, or the sizes do not add up. The
// views point into `payload`.
[[nodiscard]] std::optional<HostCall> decode_call(std::span<const std::uint8_t> payload) noexcept;

// The fixed part of an answer; the content type and the body follow.
struct HostReplyHead {
  std::uint32_t id = 0;
  std::uint16_t status = 0;
  bool refused = false;  // the host's own word, not the API's
  std::uint32_t type_bytes = 0;
  std::uint32_t body_bytes = 0;
};
inline constexpr std::size_t kHostReplyHeadBytes = 16;
inline constexpr std::size_t kMaxReplyType = 256;
inline constexpr std::size_t kMaxReplyBody = std::size_t{4} << 20;
inline constexpr std::size_t kMaxHostReplyPayload =
    kHostReplyHeadBytes + kMaxReplyType + kMaxReplyBody;
[[nodiscard]] std::array<std::uint8_t, kHostReplyHeadBytes> encode(
    const HostReplyHead& reply) noexcept;
// nullopt: beyond a bound, or a flag that is not 0 or 1.
[[nodiscard]] std::optional<HostReplyHead> decode_reply_head(
    std::span<const std::uint8_t, kHostReplyHeadBytes> bytes) noexcept;

// How a run ended, as the guest says. The first numbers are the engine's EndCause.
enum class DoneCause : std::uint8_t {
  kExited = 0,
  kTimedOut = 1,
  kOutOfMemory = 2,
  kOutputFlood = 3,
  kEngineFault = 4,
  kSignaled = 5,  // only where the guest's code is a process of its own, in a container
};
struct Done {
  DoneCause cause = DoneCause::kExited;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::uint8_t exit_code = 0;
  std::uint8_t trap = 0;        // kEngineFault: its Trap, for the detail; kSignaled: the signal
  std::uint64_t engine_ns = 0;  // as the guest's clock measured it; for statistics only
};
inline constexpr std::size_t kDoneBytes = 16;
[[nodiscard]] std::array<std::uint8_t, kDoneBytes> encode(const Done& done) noexcept;
// nullopt: another size, an unknown cause, a flag that is not 0 or 1.
[[nodiscard]] std::optional<Done> decode_done(std::span<const std::uint8_t> payload) noexcept;

// How a virtual machine ended that can no longer go on, as KVM says.
enum class FaultReason : std::uint8_t {
  kShutdown = 1,       // an exception, which no guest of ours handles
  kInternalError = 2,  // KVM gave up; `detail` is its suberror
  kEmulation = 3,      // KVM could not emulate an instruction
  kFailedEntry = 4,    // the processor refused the guest's state
  kRunRefused = 5,     // KVM_RUN failed; `detail` is the errno
  kHalt = 6,
  kNoMemory = 7,  // an access to memory that the machine has not
  kPort = 8,      // `detail` is the port
  kPanic = 9,     // the image found a bug of its own, or asked for what there is not
  kMailbox = 10,  // what the guest said in its mailbox is not the protocol
  kUnknownExit = 11,
};
struct Fault {
  FaultReason reason = FaultReason::kUnknownExit;
  std::uint32_t detail = 0;
  std::uint64_t rip = 0;  // where the guest stood
  std::uint64_t cr2 = 0;  // the address of its last page fault
};
inline constexpr std::size_t kFaultBytes = 24;
[[nodiscard]] std::array<std::uint8_t, kFaultBytes> encode(const Fault& fault) noexcept;
// nullopt: another size, an unknown reason, a reserved byte that is not zero.
[[nodiscard]] std::optional<Fault> decode_fault(std::span<const std::uint8_t> payload) noexcept;

enum class Calls : std::uint8_t { kRefused, kAdmitted };

// Takes frames out of a guest's byte stream.
class FrameReader {
 public:
  struct Frame {
    FrameKind kind = FrameKind::kReady;
    std::span<const std::uint8_t> payload;  // valid until the next call of any method
  };
  enum class Status : std::uint8_t {
    kFrame,     // `frame` is the next one
    kNeedMore,  // no whole frame yet
    kBroken,    // not the protocol; no further call makes sense
  };

  // Whether kHostCall, which may be larger than the other kinds, belongs to the stream now. Without
  // it, one is as unknown as any other number.
  void admit_calls(Calls calls) noexcept { calls_ = calls; }

  // Where to read into, at least one byte; then say how many came. Grows only for a call that was
  // admitted, to its announced size, which is bounded.
  [[nodiscard]] std::span<std::uint8_t> space();
  void filled(std::size_t bytes) noexcept { end_ += bytes; }

  [[nodiscard]] Status next(Frame& frame) noexcept;

  // Whether every byte that came was part of a frame that next() has given out.
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

 private:
  std::vector<std::uint8_t> buffer_ =
      std::vector<std::uint8_t>(2 * (kHeaderBytes + kMaxGuestPayload));
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t wanted_ = kHeaderBytes + kMaxGuestPayload;  // of the frame that is coming
  Calls calls_ = Calls::kRefused;
};

}  // namespace plimsoll::guest
