// What the engine needs of the place it runs in: a small table that each host (the jailed worker, a
// virtual machine's guest image, a test) fills. Everything else in src/engine is the same
// everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::engine {

enum class Stream : std::uint8_t { kStdout = 1, kStderr = 2 };

// What becomes of the guest after a write.
enum class WriteVerdict : std::uint8_t { kContinue, kStop };

// What a call may hold. What is longer is cut one byte beyond, so that the host sees that it is too
// long and refuses it.
inline constexpr std::size_t kMaxCallMethod = 16;
inline constexpr std::size_t kMaxCallTarget = std::size_t{64} << 10;
inline constexpr std::size_t kMaxCallBody = std::size_t{1} << 20;

// One call of the API that the run was granted, as the guest made it. The bytes lie in guest memory
// and are good during the call only.
struct HostCall {
  std::uint32_t id = 0;  // the guest's number for it; the answer carries it
  bool has_body = false;
  std::span<const std::uint8_t> method;
  std::span<const std::uint8_t> target;
  std::span<const std::uint8_t> body;
};

// The head of an answer. `type_bytes` of content type and `body_bytes` of body follow it.
struct HostReply {
  std::uint32_t id = 0;
  std::uint16_t status = 0;
  bool refused = false;  // by the host's policy, not by the API
  std::uint32_t type_bytes = 0;
  std::uint32_t body_bytes = 0;
};

enum class ReplyWait : std::uint8_t { kReply, kNone };

// Called from inside a run, on the engine's thread. No method may throw or jump.
class EngineHost {
 public:
  // Nanoseconds since 1970 UTC.
  [[nodiscard]] virtual std::uint64_t wall_ns() noexcept = 0;

  // Nanoseconds of a clock that never goes back.
  [[nodiscard]] virtual std::uint64_t monotonic_ns() noexcept = 0;

  // Fills `out` with bytes that nobody can predict.
  virtual void fill_random(std::span<std::uint8_t> out) noexcept = 0;

  // Bytes that the guest wrote. kStop ends the run as an output flood.
  [[nodiscard]] virtual WriteVerdict write(Stream stream,
                                           std::span<const std::uint8_t> bytes) noexcept = 0;

  // Whether the run's deadline has passed. Polled by the interpreter; must be cheap.
  [[nodiscard]] virtual bool deadline_passed() noexcept = 0;

  // Sleeps for `ns` nanoseconds or until the deadline, whichever is first.
  virtual void sleep_ns(std::uint64_t ns) noexcept = 0;

  // Whether output has waited long enough that send_output() should be called. Polled as
  // deadline_passed() is.
  [[nodiscard]] virtual bool output_is_due() noexcept { return false; }

  // Hands over what was written so far.
  virtual void send_output() noexcept {}

  // Sends a call on its way. False: this run was granted nothing.
  [[nodiscard]] virtual bool call_host(const HostCall& call) noexcept {
    (void)call;
    return false;
  }

  // Waits for the next answer, for `ns` nanoseconds or until the deadline, whichever is first.
  // After kReply, take_reply() must be called for all the bytes that `reply` announces.
  [[nodiscard]] virtual ReplyWait await_reply(std::uint64_t ns, HostReply& reply) noexcept {
    (void)reply;
    sleep_ns(ns);
    return ReplyWait::kNone;
  }

  // The next bytes of the answer.
  virtual void take_reply(std::span<std::uint8_t> into) noexcept { (void)into; }

 protected:
  ~EngineHost() = default;
};

}  // namespace plimsoll::engine
