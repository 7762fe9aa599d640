// What the engine needs of the place it runs in: a small table that each host (the jailed worker, a
// virtual machine's guest image, a test) fills. Everything else in src/engine is the same
// everywhere.
#pragma once

#include <cstdint>
#include <span>

namespace plimsoll::engine {

enum class Stream : std::uint8_t { kStdout = 1, kStderr = 2 };

// What becomes of the guest after a write.
enum class WriteVerdict : std::uint8_t { kContinue, kStop };

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

 protected:
  ~EngineHost() = default;
};

}  // namespace plimsoll::engine
