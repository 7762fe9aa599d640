#include "broker/breaker.h"

#include <algorithm>

namespace plimsoll {

Breaker::Ticket Breaker::admit(Time now) {
  Ticket ticket{.verdict = Verdict::kShed, .is_trial = false, .pause = pauses_};
  if (reason_ == Reason::kNone) {
    ticket.verdict = Verdict::kPass;
  } else if (probe_under_way_) {
    // Its answer decides.
  } else if (now >= until_) {
    if (!trial_under_way_) {
      trial_under_way_ = true;
      ticket.verdict = Verdict::kPass;
      ticket.is_trial = true;
    }
  } else if (reason_ == Reason::kBusy503 && has_health_check_ == HealthCheck::kThere &&
             now >= next_probe_) {
    probe_under_way_ = true;
    next_probe_ = now + kProbeInterval;
    ticket.verdict = Verdict::kProbe;
  }
  return ticket;
}

void Breaker::answered(const Ticket& ticket, Time now, unsigned status,
                       std::chrono::milliseconds pause) {
  if (ticket.is_trial) trial_under_way_ = false;
  if (status == 429 || status == 503) {
    open(now, status, pause);
  } else if (ticket.is_trial && ticket.pause == pauses_) {
    close();
  }
}

void Breaker::unanswered(const Ticket& ticket) {
  if (ticket.is_trial) trial_under_way_ = false;
}

void Breaker::probed(Time now, unsigned status, std::chrono::milliseconds pause) {
  const bool limited = reason_ == Reason::kLimited429;
  if (status >= 200 && status < 300) {
    if (!limited) close();
  } else {
    open(now, status == 429 ? 429 : 503, pause);
  }
  probe_under_way_ = false;
}

void Breaker::open(Time now, unsigned status, std::chrono::milliseconds pause) {
  const bool still_paused = reason_ != Reason::kNone && (now < until_ || probe_under_way_);
  const bool is_limit = status == 429 || (still_paused && reason_ == Reason::kLimited429);
  if (!still_paused) ++openings_;
  reason_ = is_limit ? Reason::kLimited429 : Reason::kBusy503;
  until_ = std::max(until_, now + pause);
  ++pauses_;
}

}  // namespace plimsoll
