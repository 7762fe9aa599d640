#include "guest/byte_stream.h"

#include <sys/socket.h>

#include <cerrno>

namespace plimsoll::guest {

namespace {

StreamStep step_of(ssize_t moved) noexcept {
  if (moved > 0) return {.state = StreamState::kMoved, .bytes = static_cast<std::size_t>(moved)};
  const bool wait = moved < 0 && (errno == EAGAIN || errno == EINTR);
  return {.state = wait ? StreamState::kWait : StreamState::kGone, .bytes = 0};
}

}  // namespace

StreamStep SocketStream::read(std::span<std::uint8_t> space) {
  return step_of(::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT));
}

StreamStep SocketStream::write(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return step_of(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace plimsoll::guest
