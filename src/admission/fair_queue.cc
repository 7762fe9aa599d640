#include "admission/fair_queue.h"

#include <algorithm>
#include <cassert>

namespace plimsoll {
namespace {

constexpr Millis kLeastEstimate{100};
constexpr Millis kMostEstimate{30'000};
constexpr std::int64_t kMeanWeight = 8;  // one new run counts 1/8

}  // namespace

std::uint32_t concurrency_within_memory(std::uint32_t max_concurrent, std::uint64_t total_mb,
                                        std::uint64_t per_run_mb) noexcept {
  if (per_run_mb == 0) return max_concurrent;
  const std::uint64_t fit = total_mb / per_run_mb;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit, max_concurrent));
}

std::string_view to_string(NotAdmitted reason) noexcept {
  switch (reason) {
    case NotAdmitted::kRate:
      return "rate";
    case NotAdmitted::kCallerQueue:
      return "caller_queue";
    case NotAdmitted::kQueue:
      return "queue";
    case NotAdmitted::kPatience:
      return "patience";
    case NotAdmitted::kClosed:
      return "closed";
    case NotAdmitted::kCanceled:
      return "canceled";
  }
  return "closed";
}

// Finds or makes the caller, and makes it the most recent one.
FairQueue::Caller& FairQueue::touch(std::string_view name, Time now) {
  forget_idle(now);
  auto found = callers_.find(name);
  if (found == callers_.end()) {
    found = callers_
                .emplace(std::string(name), Caller{.bucket = TokenBucket(limits_.rate, now),
                                                   .line = {},
                                                   .recent = {},
                                                   .turn = {}})
                .first;
    found->second.recent = recent_.insert(recent_.end(), found->first);
  } else {
    recent_.splice(recent_.end(), recent_, found->second.recent);
  }
  return found->second;
}

// Two at each attempt, which adds one at most: so the number of the remembered follows the number
// of those that asked within one filling of the bucket. Nothing is learnt by being forgotten, since
// a full bucket is a new one.
void FairQueue::forget_idle(Time now) {
  for (int i = 0; i < 2 && !recent_.empty(); ++i) {
    const auto oldest = callers_.find(recent_.front());
    assert(oldest != callers_.end());
    Caller& caller = oldest->second;
    const bool idle = caller.in_flight == 0 && caller.line.empty();
    if (idle && caller.bucket.full(now)) {
      recent_.pop_front();
      callers_.erase(oldest);
    } else {
      // Busy, or in debt: it goes to the back, so that it hides nobody.
      recent_.splice(recent_.end(), recent_, recent_.begin());
    }
  }
}

bool FairQueue::may_run(const Caller& caller) const noexcept {
  return in_flight_ < limits_.max_concurrent && caller.in_flight < limits_.per_caller_concurrent;
}

FairQueue::Decision FairQueue::request(std::string_view caller, Time now) {
  Caller& asking = touch(caller, now);
  const Millis wait = asking.bucket.charge(now);
  if (wait > Millis{0}) {
    return {.kind = Decision::Kind::kRefused, .reason = NotAdmitted::kRate, .retry_after = wait};
  }
  // Nobody overtakes a line: whoever may run is granted before a newcomer is looked at, so a line
  // of others that is not empty consists of callers at their own limit.
  if (asking.line.empty() && may_run(asking)) {
    ++in_flight_;
    ++asking.in_flight;
    return {.kind = Decision::Kind::kRuns, .ticket = next_ticket_++};
  }
  if (asking.line.size() >= limits_.per_caller_waiting) {
    return {.kind = Decision::Kind::kRefused,
            .reason = NotAdmitted::kCallerQueue,
            .retry_after = estimate()};
  }
  if (waiting_ >= limits_.max_waiting) {
    return {
        .kind = Decision::Kind::kRefused, .reason = NotAdmitted::kQueue, .retry_after = estimate()};
  }
  return {.kind = Decision::Kind::kWaits, .ticket = enter(asking, callers_.find(caller)->first)};
}

void FairQueue::charge(std::string_view caller, Time now) {
  static_cast<void>(touch(caller, now).bucket.charge(now));
}

FairQueue::Ticket FairQueue::enter(Caller& caller, std::string_view name) {
  if (caller.line.empty()) caller.turn = turns_.insert(turns_.end(), name);
  const Ticket ticket = next_ticket_++;
  caller.line.push_back(ticket);
  waits_.emplace(ticket, name);
  ++waiting_;
  return ticket;
}

void FairQueue::release(std::string_view caller, Time now, Millis ran_for) {
  const auto found = callers_.find(caller);
  assert(found != callers_.end() && found->second.in_flight > 0 && in_flight_ > 0);
  --found->second.in_flight;
  --in_flight_;
  const std::int64_t ran_us = std::clamp<std::int64_t>(ran_for.count(), 0, 3'600'000) * 1000;
  mean_run_us_ += (ran_us - mean_run_us_) / kMeanWeight;
  forget_idle(now);
}

bool FairQueue::leave(Ticket ticket) {
  const auto wait = waits_.find(ticket);
  if (wait == waits_.end()) return false;
  Caller& caller = callers_.find(wait->second)->second;
  caller.line.remove(ticket);
  if (caller.line.empty()) turns_.erase(caller.turn);
  waits_.erase(wait);
  --waiting_;
  return true;
}

FairQueue::Ticket FairQueue::pop_front(Caller& caller) {
  const Ticket ticket = caller.line.front();
  caller.line.pop_front();
  waits_.erase(ticket);
  --waiting_;
  if (caller.line.empty()) {
    turns_.erase(caller.turn);
  } else {
    turns_.splice(turns_.end(), turns_, caller.turn);
  }
  ++in_flight_;
  ++caller.in_flight;
  return ticket;
}

std::optional<FairQueue::Ticket> FairQueue::grant() {
  if (in_flight_ >= limits_.max_concurrent) return std::nullopt;
  for (const std::string_view name : turns_) {
    Caller& caller = callers_.find(name)->second;
    if (may_run(caller)) return pop_front(caller);
  }
  return std::nullopt;
}

Millis FairQueue::estimate() const noexcept {
  const std::int64_t rounds = 1 + waiting_ / limits_.max_concurrent;
  return std::clamp(Millis{mean_run_us_ * rounds / 1000}, kLeastEstimate, kMostEstimate);
}

}  // namespace plimsoll
