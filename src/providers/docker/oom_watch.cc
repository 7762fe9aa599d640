#include "providers/docker/oom_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

namespace plimsoll::docker {

namespace {
constexpr std::chrono::milliseconds kPatience{500};
}  // namespace

OomWatch::OomWatch(CgroupFolders folders) : folders_(std::move(folders)) {
  if (folders_.unified || folders_.memory.empty()) return;
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  UniqueFd control(::open((folders_.memory + "/memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd registry(
      ::open((folders_.memory + "/cgroup.event_control").c_str(), O_WRONLY | O_CLOEXEC));
  if (!event || !control || !registry) return;
  const std::string line = fmt::format("{} {}", event.get(), control.get());
  if (::write(registry.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return;
  event_ = std::move(event);
  control_ = std::move(control);
}

void OomWatch::count_signals(std::chrono::milliseconds patience) {
  pollfd ready{.fd = event_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return;
  std::uint64_t count = 0;
  if (::read(event_.get(), &count, sizeof count) == sizeof count) signals_ += count;
}

bool OomWatch::killed() {
  if (killed_ || folders_.memory.empty()) return killed_;
  if (const auto kills = read_oom_kills(folders_)) {
    killed_ = *kills > 0;
    return killed_;
  }
  if (!event_) return false;
  // The group has gone. Its end is one signal, which may be on its way; each time that memory ran
  // out was one before it.
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (signals_ < 2) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    count_signals(left);
  }
  killed_ = signals_ > 1;
  folders_.memory.clear();  // nothing more will come
  return killed_;
}

}  // namespace plimsoll::docker
