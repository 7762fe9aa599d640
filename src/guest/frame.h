// The guest channel: length-prefixed frames over a byte stream between the host and one guest.
//
// A frame is a header of 8 bytes (payload size as 32 bits, little-endian; the kind; three zero
// bytes) and its payload. The host sends kRun (and, to a throwaway worker, kProbe); the guest
// answers with kReady once, then for each run any number of kStdout and kStderr, and one kDone.
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
#include <vector>

namespace plimsoll::guest {

enum class FrameKind : std::uint8_t {
  kRun = 1,
  kProbe = 2,
  kReady = 16,
  kStdout = 17,
  kStderr = 18,
  kDone = 19,
  kProbeResult = 20,
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
};
inline constexpr std::size_t kRunHeaderBytes = 32;
[[nodiscard]] std::array<std::uint8_t, kRunHeaderBytes> encode(const RunHeader& run) noexcept;
// nullopt: shorter than the fixed part, or more code than kMaxCodePayload.
[[nodiscard]] std::optional<RunHeader> decode_run(std::span<const std::uint8_t> payload) noexcept;

// How a run ended, as the guest says. The numbers are the engine's EndCause.
enum class DoneCause : std::uint8_t {
  kExited = 0,
  kTimedOut = 1,
  kOutOfMemory = 2,
  kOutputFlood = 3,
  kEngineFault = 4,
};
struct Done {
  DoneCause cause = DoneCause::kExited;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::uint8_t exit_code = 0;
  std::uint8_t trap = 0;        // the engine's Trap, for the detail
  std::uint64_t engine_ns = 0;  // as the guest's clock measured it; for statistics only
};
inline constexpr std::size_t kDoneBytes = 16;
[[nodiscard]] std::array<std::uint8_t, kDoneBytes> encode(const Done& done) noexcept;
// nullopt: another size, an unknown cause, a flag that is not 0 or 1.
[[nodiscard]] std::optional<Done> decode_done(std::span<const std::uint8_t> payload) noexcept;

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

  // Where to read into, at least one byte; then say how many came.
  [[nodiscard]] std::span<std::uint8_t> space() noexcept;
  void filled(std::size_t bytes) noexcept { end_ += bytes; }

  [[nodiscard]] Status next(Frame& frame) noexcept;

  // Whether every byte that came was part of a frame that next() has given out.
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

 private:
  std::vector<std::uint8_t> buffer_ =
      std::vector<std::uint8_t>(2 * (kHeaderBytes + kMaxGuestPayload));
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace plimsoll::guest
