// Who runs, who waits, who is next: the decisions of admission, without threads and clocks.
//
// Waiting runs stand in one line for each caller, and the lines are served in turn: a caller with
// 200 waiting runs and one with a single one alternate. Within a line it is first come, first
// served.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/token_bucket.h"

namespace plimsoll {

// All at least 1, but for the rate; per_caller_concurrent is at most max_concurrent.
struct AdmissionLimits {
  std::uint32_t max_concurrent = 8;         // runs in flight
  std::uint32_t per_caller_concurrent = 4;  // of one caller
  Rate rate{};                              // of one caller
  std::uint32_t max_waiting = 1024;         // runs that wait
  std::uint32_t per_caller_waiting = 256;   // of one caller
};

// SANDBOX_TOTAL_MEMORY_MB: how many runs of `per_run_mb` fit, at most `max_concurrent`. 0: not one.
[[nodiscard]] std::uint32_t concurrency_within_memory(std::uint32_t max_concurrent,
                                                      std::uint64_t total_mb,
                                                      std::uint64_t per_run_mb) noexcept;

// Why a run is not admitted.
enum class NotAdmitted : std::uint8_t {
  kRate,         // the caller's bucket is empty
  kCallerQueue,  // the caller has per_caller_waiting runs that wait
  kQueue,        // max_waiting runs wait
  kPatience,     // no slot came free before it gave up
  kClosed,       // the service drains
  kCanceled,     // whoever asked left
};

// "rate", "caller_queue", "queue", "patience", "closed", "canceled".
[[nodiscard]] std::string_view to_string(NotAdmitted reason) noexcept;

// Not for concurrent use.
class FairQueue {
 public:
  using Time = TokenBucket::Time;
  using Ticket = std::uint64_t;

  struct Decision {
    enum class Kind : std::uint8_t { kRuns, kWaits, kRefused };
    Kind kind = Kind::kRefused;
    Ticket ticket = 0;                        // of a run that runs or waits
    NotAdmitted reason = NotAdmitted::kRate;  // of a refusal
    Millis retry_after{0};                    // of a refusal: at least 1 ms
  };

  explicit FairQueue(const AdmissionLimits& limits) : limits_(limits) {}

  // One attempt of `caller`, charged whatever comes of it.
  [[nodiscard]] Decision request(std::string_view caller, Time now);
  // Charges an attempt that was refused before it came here.
  void charge(std::string_view caller, Time now);

  // A run ended, or a slot that was granted is not used.
  void release(std::string_view caller, Time now, Millis ran_for);
  // A run leaves its line. False: it does not wait (any more).
  bool leave(Ticket ticket);
  // The next run that may run now; it is in flight from here on.
  [[nodiscard]] std::optional<Ticket> grant();

  // When a run that is refused now might find a slot: by how long runs took lately.
  [[nodiscard]] Millis estimate() const noexcept;

  [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_; }
  [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_; }
  // Callers that are remembered: those with runs, and those whose bucket is not full yet.
  [[nodiscard]] std::size_t remembered() const noexcept { return callers_.size(); }

 private:
  struct Caller {
    TokenBucket bucket;
    std::uint32_t in_flight = 0;
    std::list<Ticket> line;
    std::list<std::string_view>::iterator recent;  // its place in recent_
    std::list<std::string_view>::iterator turn;  // its place in turns_, when the line is not empty
  };
  using Callers = std::map<std::string, Caller, std::less<>>;

  Caller& touch(std::string_view name, Time now);
  void forget_idle(Time now);
  [[nodiscard]] bool may_run(const Caller& caller) const noexcept;
  Ticket enter(Caller& caller, std::string_view name);
  Ticket pop_front(Caller& caller);

  AdmissionLimits limits_;
  Callers callers_;
  std::list<std::string_view>
      recent_;                         // all callers, the longest untouched first; keys of callers_
  std::list<std::string_view> turns_;  // callers with a line, in the order of their turns
  std::map<Ticket, std::string_view> waits_;
  std::uint32_t in_flight_ = 0;
  std::uint32_t waiting_ = 0;
  Ticket next_ticket_ = 1;
  std::int64_t mean_run_us_ = 0;  // moving average
};

}  // namespace plimsoll
