#include "admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

constexpr Millis kLongestSleep{1000};
constexpr Millis kRetryAfterClose{1000};

}  // namespace

// What slots, waits and the Admission share. Callbacks are collected under the lock and called
// after it.
class AdmissionState : public std::enable_shared_from_this<AdmissionState> {
 public:
  AdmissionState(const AdmissionLimits& limits, const Clock& clock)
      : queue_(limits), clock_(clock) {}

  AdmissionWait request(std::string_view caller, Millis patience, Admission::Callback callback);
  void charge(std::string_view caller);
  void give_back(const std::string& caller, Clock::Monotonic since);
  void leave(FairQueue::Ticket ticket);
  Millis expire();
  void close();
  Admission::Load load() const;
  Millis estimate() const;

 private:
  struct Waiting {
    std::string caller;
    Clock::Monotonic until;
    Admission::Callback callback;
  };
  struct Answer {
    Admission::Callback callback;
    Admitted admitted;
  };
  using Answers = std::vector<Answer>;

  static void deliver(Answers answers) {
    for (Answer& answer : answers) answer.callback(std::move(answer.admitted));
  }
  AdmittedSlot slot(std::string caller, Clock::Monotonic now) {
    return {shared_from_this(), std::move(caller), now};
  }
  // With the lock held: everybody whose turn it is.
  void grant(Clock::Monotonic now, Answers& answers);

  mutable std::mutex mutex_;
  FairQueue queue_;
  std::map<FairQueue::Ticket, Waiting> waiting_;
  bool closed_ = false;
  const Clock& clock_;
};

AdmissionWait AdmissionState::request(std::string_view caller, Millis patience,
                                      Admission::Callback callback) {
  Answers answers;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = clock_.now();
    const auto refuse = [&](NotAdmitted reason, Millis retry_after) {
      answers.push_back({std::move(callback), std::unexpected(AdmissionRefusal{
                                                  .reason = reason, .retry_after = retry_after})});
    };
    using Kind = FairQueue::Decision::Kind;
    if (closed_) {
      refuse(NotAdmitted::kClosed, kRetryAfterClose);
    } else if (const auto decision = queue_.request(caller, now); decision.kind == Kind::kRefused) {
      refuse(decision.reason, decision.retry_after);
    } else if (decision.kind == Kind::kRuns) {
      answers.push_back({std::move(callback), slot(std::string(caller), now)});
    } else if (patience <= Millis{0}) {
      queue_.leave(decision.ticket);
      refuse(NotAdmitted::kPatience, queue_.estimate());
    } else {
      waiting_.emplace(decision.ticket, Waiting{.caller = std::string(caller),
                                                .until = now + patience,
                                                .callback = std::move(callback)});
      return {shared_from_this(), decision.ticket};
    }
  }
  deliver(std::move(answers));
  return {};
}

void AdmissionState::charge(std::string_view caller) {
  const std::scoped_lock lock(mutex_);
  queue_.charge(caller, clock_.now());
}

void AdmissionState::grant(Clock::Monotonic now, Answers& answers) {
  while (const auto ticket = queue_.grant()) {
    auto next = waiting_.extract(*ticket);
    assert(!next.empty());
    answers.push_back(
        {std::move(next.mapped().callback), slot(std::move(next.mapped().caller), now)});
  }
}

void AdmissionState::give_back(const std::string& caller, Clock::Monotonic since) {
  Answers answers;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = clock_.now();
    queue_.release(caller, now, std::chrono::duration_cast<Millis>(now - since));
    grant(now, answers);
  }
  deliver(std::move(answers));
}

void AdmissionState::leave(FairQueue::Ticket ticket) {
  std::map<FairQueue::Ticket, Waiting>::node_type left;  // its callback is destroyed unlocked
  const std::scoped_lock lock(mutex_);
  if (queue_.leave(ticket)) left = waiting_.extract(ticket);
}

Millis AdmissionState::expire() {
  Answers answers;
  Millis next = kLongestSleep;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = clock_.now();
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.until > now) {
        next = std::min(next, std::chrono::ceil<Millis>(at->second.until - now));
        ++at;
        continue;
      }
      queue_.leave(at->first);
      answers.push_back({std::move(at->second.callback),
                         std::unexpected(AdmissionRefusal{.reason = NotAdmitted::kPatience,
                                                          .retry_after = queue_.estimate()})});
      at = waiting_.erase(at);
    }
  }
  deliver(std::move(answers));
  return next;
}

void AdmissionState::close() {
  Answers answers;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    for (auto& [ticket, waiting] : std::exchange(waiting_, {})) {
      queue_.leave(ticket);
      answers.push_back({std::move(waiting.callback),
                         std::unexpected(AdmissionRefusal{.reason = NotAdmitted::kClosed,
                                                          .retry_after = kRetryAfterClose})});
    }
  }
  deliver(std::move(answers));
}

Admission::Load AdmissionState::load() const {
  const std::scoped_lock lock(mutex_);
  return {.in_flight = queue_.in_flight(),
          .waiting = queue_.waiting(),
          .remembered_callers = queue_.remembered()};
}

Millis AdmissionState::estimate() const {
  const std::scoped_lock lock(mutex_);
  return queue_.estimate();
}

Error to_error(const AdmissionRefusal& refusal) {
  std::string_view why;
  switch (refusal.reason) {
    case NotAdmitted::kRate:
      why = "the caller's rate limit is reached";
      break;
    case NotAdmitted::kCallerQueue:
      why = "too many of the caller's runs wait";
      break;
    case NotAdmitted::kQueue:
      why = "too many runs wait";
      break;
    case NotAdmitted::kPatience:
      why = "no slot came free in time";
      break;
    case NotAdmitted::kClosed:
      why = "the service is shutting down";
      break;
    case NotAdmitted::kCanceled:
      why = "the caller left";
      break;
  }
  return {.code = ErrorCode::kCapacity,
          .message = fmt::format("{}; retry in {} ms", why, refusal.retry_after.count()),
          .not_dispatched = NotDispatchedReason::kCapacity};
}

AdmittedSlot& AdmittedSlot::operator=(AdmittedSlot&& other) noexcept {
  if (this != &other) {
    give_back();
    state_ = std::move(other.state_);
    caller_ = std::move(other.caller_);
    since_ = other.since_;
  }
  return *this;
}

AdmittedSlot::~AdmittedSlot() { give_back(); }

void AdmittedSlot::give_back() {
  if (const auto state = std::exchange(state_, nullptr)) state->give_back(caller_, since_);
}

AdmissionWait& AdmissionWait::operator=(AdmissionWait&& other) noexcept {
  if (this != &other) {
    leave();
    state_ = std::move(other.state_);
    ticket_ = other.ticket_;
  }
  return *this;
}

AdmissionWait::~AdmissionWait() { leave(); }

void AdmissionWait::leave() {
  if (const auto state = std::exchange(state_, nullptr)) state->leave(ticket_);
}

Admission::Admission(const AdmissionLimits& limits, const Clock& clock)
    : state_(std::make_shared<AdmissionState>(limits, clock)) {
  assert(limits.max_concurrent > 0 && limits.per_caller_concurrent > 0);
  assert(limits.rate.per_minute == 0 || limits.rate.burst > 0);
}

Admission::~Admission() { close(); }

AdmissionWait Admission::request(std::string_view caller, Millis patience, Callback callback) {
  return state_->request(caller, patience, std::move(callback));
}

Admitted Admission::wait(std::string_view caller, Millis patience, const std::stop_token& stop) {
  // Shared with the callback, which may be under way while this thread gives up.
  struct Box {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::optional<Admitted> admitted;
  };
  const auto box = std::make_shared<Box>();
  AdmissionWait place = request(caller, patience, [box](Admitted admitted) {
    const std::scoped_lock lock(box->mutex);
    box->admitted.emplace(std::move(admitted));
    box->arrived.notify_one();
  });
  const auto has_arrived = [&] { return box->admitted.has_value(); };
  {
    std::unique_lock lock(box->mutex);
    if (box->arrived.wait_for(lock, stop, patience, has_arrived)) {
      return std::move(*box->admitted);
    }
  }
  place = AdmissionWait();
  const std::scoped_lock lock(box->mutex);
  // A slot that came too late for somebody who left goes back with the box.
  if (has_arrived() && !stop.stop_requested()) return std::move(*box->admitted);
  return std::unexpected(AdmissionRefusal{
      .reason = stop.stop_requested() ? NotAdmitted::kCanceled : NotAdmitted::kPatience,
      .retry_after = state_->estimate()});
}

void Admission::charge_refused(std::string_view caller) { state_->charge(caller); }
Millis Admission::expire() { return state_->expire(); }
void Admission::close() { state_->close(); }
Admission::Load Admission::load() const { return state_->load(); }

}  // namespace plimsoll
