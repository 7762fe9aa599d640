#include "broker/socket_watch.h"

#include <sys/epoll.h>

namespace plimsoll {

bool SocketWatch::want(int socket, std::uint32_t events) {
  const auto [at, is_new] = known_.try_emplace(socket);
  Registration& registration = at->second;
  if (is_new || registration.events != events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = socket;
    if (::epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) != 0) {
      forget(socket);
      return false;
    }
  }
  registration = {.events = events, .wanted = true};
  return true;
}

void SocketWatch::leave(int socket) {
  if (const auto at = known_.find(socket); at != known_.end()) at->second.wanted = false;
}

void SocketWatch::forget(int socket) {
  if (known_.erase(socket) != 0) (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
}

bool SocketWatch::is_wanted(int socket) {
  const auto at = known_.find(socket);
  if (at == known_.end()) return false;
  if (at->second.wanted) return true;
  forget(socket);
  return false;
}

}  // namespace plimsoll
