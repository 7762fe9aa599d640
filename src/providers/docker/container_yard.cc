#include "providers/docker/container_yard.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {
constexpr std::chrono::minutes kSweepInterval{1};
// Its end takes milliseconds; where it does not come, the engine is told to make it.
constexpr std::chrono::milliseconds kDeathTimeout{5'000};
// How long, and how often, an engine is asked to remove what it is not done with.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kRetry{100};
// How long the end of a daemon waits for all of that; an engine's last call may come on top.
constexpr std::chrono::seconds kEndPatience{10};
// A container whose maker cannot be looked up, and that does not run, is left alone this long.
constexpr std::chrono::hours kUnknownKept{24};

bool is_old(const ContainerEntry& container) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  return now - std::chrono::seconds(container.created_unix_s) > kUnknownKept;
}
}  // namespace

std::string ContainerYard::Ticket::name() const {
  return fmt::format("plimsoll-{}-{}", yard_->self_.id, serial_);
}

ContainerYard::~ContainerYard() {
  worker_.request_stop();
  if (worker_.joinable()) worker_.join();
  // What an engine that hangs does not let go in time, the next start's sweep finds.
  const auto until = std::chrono::steady_clock::now() + kEndPatience;
  const auto in_time = [until] { return std::chrono::steady_clock::now() < until; };
  for (const Grave& grave : std::exchange(graves_, {})) {
    if (in_time()) remove(grave);
  }
  if (missed_ && in_time()) (void)sweep();
}

ContainerYard::Ticket ContainerYard::ticket() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t serial = next_serial_++;
  living_.insert(serial);
  return {this, serial};
}

Result<void> ContainerYard::start() {
  const std::lock_guard lock(mutex_);
  if (worker_.joinable()) return {};
  try {
    worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error& error) {
    return not_ready(fmt::format("no thread to remove containers: {}", error.what()));
  }
  return {};
}

void ContainerYard::bury(Grave grave) {
  {
    const std::lock_guard lock(mutex_);
    if (worker_.joinable() && graves_.size() < kMaxBacklog) {
      graves_.push_back(std::move(grave));
      changed_.notify_all();
      return;
    }
  }
  remove(grave);  // the caller waits: it makes them faster than they go
}

void ContainerYard::remove(const Grave& grave) {
  // One that the engine made without telling us, or did not remove, has no ticket from here on, and
  // the next sweep takes it.
  const bool removed = !grave.id.empty() && try_to_remove(grave);
  const std::lock_guard lock(mutex_);
  living_.erase(grave.serial);
  if (!removed) missed_ = true;
}

bool ContainerYard::try_to_remove(const Grave& grave) {
  if (grave.killed) (void)engine_.wait(grave.id, kDeathTimeout);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!engine_.remove(grave.id)) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kRetry);
  }
  return true;
}

bool ContainerYard::is_waste(const ContainerEntry& container) {
  switch (ownership_of(container, self_)) {
    case Ownership::kOurs: {
      const std::lock_guard lock(mutex_);
      return !living_.contains(serial_of(container));
    }
    case Ownership::kLiving:
      return false;
    case Ownership::kOrphan:
      return true;
    case Ownership::kUnknown:
      break;
  }
  return container.state != "running" && is_old(container);
}

Result<void> ContainerYard::sweep() {
  const auto containers = engine_.list(kInstanceLabel);
  if (!containers) return std::unexpected(containers.error());
  for (const ContainerEntry& container : *containers) {
    // One that a busy engine does not let go now, the next sweep finds again.
    if (is_waste(container)) (void)engine_.remove(container.id);
  }
  return {};
}

void ContainerYard::work(const std::stop_token& stop) {
  auto next_sweep = std::chrono::steady_clock::now() + kSweepInterval;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_until(lock, stop, next_sweep, [this] { return !graves_.empty(); });
    if (!graves_.empty()) {
      const Grave grave = std::move(graves_.front());
      graves_.pop_front();
      lock.unlock();
      remove(grave);
      lock.lock();
    } else if (std::chrono::steady_clock::now() >= next_sweep) {
      lock.unlock();
      (void)sweep();  // what it cannot remove now, the next one tries again
      lock.lock();
      next_sweep = std::chrono::steady_clock::now() + kSweepInterval;
    }
  }
}

}  // namespace plimsoll::docker
