#include "base/fd_message.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace plimsoll {

namespace {
union ControlBuffer {
  cmsghdr header;
  std::byte bytes[CMSG_SPACE(sizeof(int) * kMaxMessageFds)];
};
}  // namespace

int send_message(int socket, std::span<const std::byte> bytes, std::span<const int> fds) noexcept {
  if (fds.size() > kMaxMessageFds) return EINVAL;
  iovec part{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control{};
  if (!fds.empty()) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  for (;;) {
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent) == bytes.size() ? 0 : EMSGSIZE;
    if (errno != EINTR) return errno;
  }
}

ReceivedMessage receive_message(int socket, std::span<std::byte> buffer) noexcept {
  ReceivedMessage result;
  iovec part{.iov_base = buffer.data(), .iov_len = buffer.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control{};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    result.error = errno;
    return result;
  }
  std::size_t count = 0;
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t fds = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < fds; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(at) + i * sizeof(int), sizeof fd);
      UniqueFd owned(fd);
      if (count < result.fds.size()) result.fds[count++] = std::move(owned);
    }
  }
  result.size = static_cast<std::size_t>(got);
  if (got == 0) result.error = EPIPE;
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) result.error = EMSGSIZE;
  return result;
}

}  // namespace plimsoll
