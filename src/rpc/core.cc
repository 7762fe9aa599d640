#include "rpc/core.h"

namespace plimsoll::rpc {

CallsInFlight::Entry::Entry(CallsInFlight& calls) : calls_(calls) {
  const std::scoped_lock lock(calls_.mutex_);
  calls_.entries_.insert(this);
}

CallsInFlight::Entry::~Entry() {
  const std::scoped_lock lock(calls_.mutex_);
  calls_.entries_.erase(this);
  if (calls_.entries_.empty()) calls_.none_.notify_all();
}

std::size_t CallsInFlight::count() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

bool CallsInFlight::wait_none(SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  return none_.wait_until(lock, deadline, [this] { return entries_.empty(); });
}

void CallsInFlight::stop_all() {
  // A stop runs callbacks of the handlers; not under the lock.
  std::vector<std::stop_source> sources;
  {
    const std::scoped_lock lock(mutex_);
    for (Entry* entry : entries_) sources.push_back(entry->stop());
  }
  for (std::stop_source& source : sources) source.request_stop();
}

PlainAnswer KeptEndpoint::answer() {
  const std::scoped_lock lock(mutex_);
  const SteadyTime now = std::chrono::steady_clock::now();
  const bool kept = last_time_ != SteadyTime{} && now - last_time_ < endpoint_.keep;
  if (!kept) {
    last_ = endpoint_.answer();
    last_time_ = now;
  }
  return last_;
}

}  // namespace plimsoll::rpc
