// The circuit breaker of one run: when the API answers 429 or 503, the run's calls are kept back
// for as long as the API asks, so that code which retries faster and faster hurts nobody. A state
// machine on times that it is given; no clock, no I/O.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace plimsoll {

inline constexpr std::chrono::milliseconds kProbeInterval{1'000};

enum class HealthCheck : std::uint8_t { kNone, kThere };

// Not for concurrent use.
class Breaker {
 public:
  using Time = Clock::Monotonic;

  explicit Breaker(HealthCheck health_check) noexcept : has_health_check_(health_check) {}

  enum class Verdict : std::uint8_t {
    kPass,   // send it, then say what came of it: answered() or unanswered()
    kProbe,  // ask the health check first, say what came of it: probed(); then ask here again
    kShed,   // keep it back
  };
  struct Ticket {
    Verdict verdict = Verdict::kShed;
    bool is_trial = false;    // the one call that a pause's end lets through
    std::uint64_t pause = 0;  // how many pauses there had been
  };

  // Decides on a call. While a pause lasts all are shed, but that after a 503 with a health check
  // one call a kProbeInterval is told to probe. When a pause is over, one call is let through on
  // trial, and the others are shed until it is answered.
  [[nodiscard]] Ticket admit(Time now);

  // What came of a call that was let through. `pause`: pause_of() the answer, for 429 and 503.
  void answered(const Ticket& ticket, Time now, unsigned status, std::chrono::milliseconds pause);
  // No answer came: a fault, or the call was given up.
  void unanswered(const Ticket& ticket);

  // What came of a probe; status 0: no answer. 2xx ends the pause, unless a 429 came meanwhile;
  // anything else extends it.
  void probed(Time now, unsigned status, std::chrono::milliseconds pause);

  // How often a pause began; one that is extended counts once.
  [[nodiscard]] std::uint64_t openings() const noexcept { return openings_; }

 private:
  // What the API said; a 429 is not probed, only waited out.
  enum class Reason : std::uint8_t { kNone, kBusy503, kLimited429 };

  void open(Time now, unsigned status, std::chrono::milliseconds pause);
  void close() noexcept { reason_ = Reason::kNone; }

  HealthCheck has_health_check_;
  Reason reason_ = Reason::kNone;
  Time until_{};
  Time next_probe_{};
  bool probe_under_way_ = false;
  bool trial_under_way_ = false;
  std::uint64_t pauses_ = 0;  // begun or extended: what a ticket of before cannot speak for
  std::uint64_t openings_ = 0;
};

}  // namespace plimsoll
