// What a worker gives the engine: clocks, randomness, and an output that is bounded and sent as
// frames.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/engine_host.h"
#include "guest/frame.h"

namespace plimsoll::worker {

// One run's host. Output is kept up to the cap and sent in frames of at most a buffer's size; the
// last ones go out together with kDone, in one system call.
class GuestRunner final : public engine::EngineHost {
 public:
  explicit GuestRunner(int channel) noexcept : channel_(channel) {}

  // Forgets the last run's output.
  void begin(const guest::RunHeader& run) noexcept;
  // Sends what is left of the output, and `done` with its truncation flags filled in. False: the
  // host is gone.
  [[nodiscard]] bool finish(guest::Done done) noexcept;
  // Sends one frame without output around it. False: the host is gone.
  [[nodiscard]] bool send(guest::FrameKind kind,
                          std::span<const std::uint8_t> payload) const noexcept;

  [[nodiscard]] std::uint64_t wall_ns() noexcept override;
  [[nodiscard]] std::uint64_t monotonic_ns() noexcept override;
  void fill_random(std::span<std::uint8_t> out) noexcept override;
  [[nodiscard]] engine::WriteVerdict write(engine::Stream stream,
                                           std::span<const std::uint8_t> bytes) noexcept override;
  [[nodiscard]] bool deadline_passed() noexcept override;
  // What was written goes out within 20 ms, while the guest gives any occasion, or when it waits: a
  // worker that is killed from outside loses no more than that.
  [[nodiscard]] bool output_is_due() noexcept override;
  void send_output() noexcept override;
  void sleep_ns(std::uint64_t ns) noexcept override;
  [[nodiscard]] bool call_host(const engine::HostCall& call) noexcept override;
  // An answer that is not the protocol, or a host that is gone, ends the process.
  [[nodiscard]] engine::ReplyWait await_reply(std::uint64_t ns,
                                              engine::HostReply& reply) noexcept override;
  void take_reply(std::span<std::uint8_t> into) noexcept override;

 private:
  struct Output {
    // The buffer is left alone: it is written before it is read, and its pages cost a start.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    explicit Output(guest::FrameKind of) noexcept : kind(of) {}

    guest::FrameKind kind;
    std::uint64_t kept = 0;  // bytes kept of the stream so far
    bool truncated = false;
    std::size_t buffered = 0;
    std::array<std::uint8_t, guest::kMaxGuestPayload> buffer;
  };
  [[nodiscard]] bool flush(Output& output) const noexcept;

  int channel_;
  guest::RunHeader run_;
  std::uint64_t written_ = 0;  // bytes written in all, kept or not
  std::uint64_t buffered_since_ns_ = 0;
  Output stdout_{guest::FrameKind::kStdout};
  Output stderr_{guest::FrameKind::kStderr};
};

}  // namespace plimsoll::worker
