// Which sockets of libcurl an epoll descriptor waits for. libcurl asks for a socket at the start of
// each exchange and gives it back at its end; one that is kept for the next stays registered here.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace plimsoll {

// Not for several threads. Does not own the descriptors.
class SocketWatch {
 public:
  explicit SocketWatch(int epoll) noexcept : epoll_(epoll) {}

  // Waits for EPOLLIN, EPOLLOUT or both. False: the system refuses.
  [[nodiscard]] bool want(int socket, std::uint32_t events);

  // Nobody waits for it now.
  void leave(int socket);

  // It is about to be closed: its number may be another socket's from now on.
  void forget(int socket);

  // Whether an event of it is somebody's. One that is nobody's ends the registration, so that a
  // kept connection whose peer closes it does not wake anyone again and again.
  [[nodiscard]] bool is_wanted(int socket);

 private:
  struct Registration {
    std::uint32_t events = 0;
    bool wanted = false;
  };

  int epoll_;
  std::unordered_map<int, Registration> known_;
};

}  // namespace plimsoll
