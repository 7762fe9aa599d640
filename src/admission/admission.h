// Admission: the last check before a run is dispatched. A run that passes holds a slot until it
// ends; one that does not is told when to come back. FairQueue decides; this is what threads may
// share.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "admission/fair_queue.h"
#include "base/clock.h"
#include "plimsoll/result.h"

namespace plimsoll {

class AdmissionState;

// A refusal, marked for the caller: nothing ran.
struct AdmissionRefusal {
  NotAdmitted reason = NotAdmitted::kRate;
  Millis retry_after{0};  // at least 1 ms: for Retry-After (rounded up to seconds) and RetryInfo
};

// kCapacity, NotDispatchedReason::kCapacity, and a sentence for people.
[[nodiscard]] Error to_error(const AdmissionRefusal& refusal);

// Proof that a run was admitted, and its slot: given back when this is destroyed, on whatever
// thread. Only Admission makes one. May outlive the Admission.
class AdmittedSlot {
 public:
  AdmittedSlot(AdmittedSlot&&) noexcept = default;
  AdmittedSlot& operator=(AdmittedSlot&& other) noexcept;
  ~AdmittedSlot();

 private:
  friend class AdmissionState;
  AdmittedSlot(std::shared_ptr<AdmissionState> state, std::string caller,
               Clock::Monotonic since) noexcept
      : state_(std::move(state)), caller_(std::move(caller)), since_(since) {}
  void give_back();

  std::shared_ptr<AdmissionState> state_;  // null: moved from
  std::string caller_;
  Clock::Monotonic since_;
};

using Admitted = std::expected<AdmittedSlot, AdmissionRefusal>;

// A place in the line. Destroying it leaves the line: the callback will not be called then, unless
// it is being called already, on another thread; then it gets its slot, and gives it back.
class AdmissionWait {
 public:
  AdmissionWait() noexcept = default;
  AdmissionWait(AdmissionWait&& other) noexcept = default;
  AdmissionWait& operator=(AdmissionWait&& other) noexcept;
  ~AdmissionWait();

  // True while nothing was decided when request() returned, that is, the callback comes later.
  [[nodiscard]] bool waits() const noexcept { return state_ != nullptr; }

 private:
  friend class AdmissionState;
  AdmissionWait(std::shared_ptr<AdmissionState> state, FairQueue::Ticket ticket) noexcept
      : state_(std::move(state)), ticket_(ticket) {}
  void leave();

  std::shared_ptr<AdmissionState> state_;
  FairQueue::Ticket ticket_ = 0;
};

// Threads: every method may be called from any thread, also from within a callback. Callbacks are
// called exactly once for each request that is not left, without a lock held: from within
// request(), or on the thread that gave back a slot, called expire() or close(). They must be
// short: post, do not run. They must not throw.
class Admission {
 public:
  using Callback = std::move_only_function<void(Admitted)>;

  // `clock` outlives the Admission and all of its slots.
  Admission(const AdmissionLimits& limits, const Clock& clock);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;
  // As close().
  ~Admission();

  // Asks for a slot for `caller`, and charges the attempt. Waits at most until `patience` has
  // passed, provided that somebody calls expire(). Zero: it is now or never.
  [[nodiscard]] AdmissionWait request(std::string_view caller, Millis patience, Callback callback);

  // The same for a thread that may be blocked. Keeps its own time, by the real clock; `stop` ends
  // the wait with kCanceled.
  [[nodiscard]] Admitted wait(std::string_view caller, Millis patience,
                              const std::stop_token& stop = {});

  // Charges the caller for an attempt that another check refused.
  void charge_refused(std::string_view caller);

  // Refuses the waiting runs whose patience has passed. Returns how long until the next one's, at
  // most a second: call it again then.
  Millis expire();

  // Draining: refuses every waiting and every later request. Slots are given back as ever.
  void close();

  struct Load {
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::size_t remembered_callers = 0;
  };
  [[nodiscard]] Load load() const;

 private:
  std::shared_ptr<AdmissionState> state_;
};

}  // namespace plimsoll
