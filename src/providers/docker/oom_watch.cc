#include "providers/docker/oom_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace plimsoll::docker {

OomWatch::OomWatch(CgroupFolders folders) : folders_(std::move(folders)) {
  if (folders_.unified || folders_.memory.empty()) return;
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  UniqueFd control(::open((folders_.memory + "/memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd registry(
      ::open((folders_.memory + "/cgroup.event_control").c_str(), O_WRONLY | O_CLOEXEC));
  if (!event || !control || !registry) return;
  const std::string line = fmt::format("{} {}", event.get(), control.get());
  if (::write(registry.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return;
  event_ = std::move(event);
  control_ = std::move(control);
}

bool OomWatch::killed() {
  if (killed_ || folders_.memory.empty()) return killed_;
  if (event_) {
    std::uint64_t count = 0;
    if (::read(event_.get(), &count, sizeof count) == sizeof count) signals_ += count;
  }
  if (const auto kills = read_oom_kills(folders_)) {
    killed_ = *kills > 0;
  } else {
    // The group has gone. Its end is one signal; each time that memory ran out was one before it.
    killed_ = signals_ > 1;
  }
  return killed_;
}

}  // namespace plimsoll::docker
