#include "microvm/host_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace plimsoll::microvm {

namespace {

// The frames that go out together: two streams, a fault, an end.
constexpr std::size_t kMaxFrames = 4;

class Frames {
 public:
  void add(guest::FrameKind kind, std::span<const std::uint8_t> payload) noexcept {
    guest::HeaderBytes& header = headers_[parts_ / 2];
    header =
        guest::encode_header({.size = static_cast<std::uint32_t>(payload.size()), .kind = kind});
    iov_[parts_++] = {.iov_base = header.data(), .iov_len = header.size()};
    iov_[parts_++] = {.iov_base = const_cast<std::uint8_t*>(payload.data()),
                      .iov_len = payload.size()};
  }

  bool send(int socket) noexcept {
    std::size_t first = 0;
    while (first < parts_) {
      msghdr message{};
      message.msg_iov = iov_.data() + first;
      message.msg_iovlen = parts_ - first;
      const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      auto left = static_cast<std::size_t>(sent);
      while (first < parts_ && left >= iov_[first].iov_len) left -= iov_[first++].iov_len;
      if (first < parts_) {
        iov_[first].iov_base = static_cast<std::byte*>(iov_[first].iov_base) + left;
        iov_[first].iov_len -= left;
      }
    }
    return true;
  }

 private:
  std::array<guest::HeaderBytes, kMaxFrames> headers_{};
  std::array<iovec, 2 * kMaxFrames> iov_{};
  std::size_t parts_ = 0;
};

}  // namespace

bool HostLink::read(std::span<std::uint8_t> into) const noexcept {
  while (!into.empty()) {
    const ssize_t got = ::read(socket_, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool HostLink::skip(std::size_t bytes) const noexcept {
  std::array<std::uint8_t, 4096> dropped{};
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, dropped.size());
    if (!read(std::span(dropped).first(part))) return false;
    bytes -= part;
  }
  return true;
}

std::optional<guest::FrameHeader> HostLink::next_header() const noexcept {
  guest::HeaderBytes bytes{};
  if (!read(bytes)) return std::nullopt;
  return guest::decode_header(bytes);
}

bool HostLink::readable_within(std::uint64_t ns) const noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const timespec timeout{.tv_sec = static_cast<time_t>(ns / kSecond),
                         .tv_nsec = static_cast<long>(ns % kSecond)};
  pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
  return ::ppoll(&ready, 1, &timeout, nullptr) > 0;
}

bool HostLink::send(guest::FrameKind kind, std::span<const std::uint8_t> payload) const noexcept {
  Frames frames;
  frames.add(kind, payload);
  return frames.send(socket_);
}

bool HostLink::send_output(const Output& output, const guest::Fault* fault,
                           const guest::Done* done) const noexcept {
  Frames frames;
  if (!output.streams[0].empty()) frames.add(guest::FrameKind::kStdout, output.streams[0]);
  if (!output.streams[1].empty()) frames.add(guest::FrameKind::kStderr, output.streams[1]);
  std::array<std::uint8_t, guest::kFaultBytes> fault_bytes{};
  if (fault != nullptr) {
    fault_bytes = guest::encode(*fault);
    frames.add(guest::FrameKind::kFault, fault_bytes);
  }
  std::array<std::uint8_t, guest::kDoneBytes> done_bytes{};
  if (done != nullptr) {
    done_bytes = guest::encode(*done);
    frames.add(guest::FrameKind::kDone, done_bytes);
  }
  return frames.send(socket_);
}

}  // namespace plimsoll::microvm
