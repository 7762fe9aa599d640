#include "tests/broker/recording_upstream.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace plimsoll {
namespace {

constexpr int kTickMs = 10;  // how often a waiting thread looks whether the test is over

std::string lower(std::string_view text) {
  std::string copy(text);
  std::ranges::transform(copy, copy.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return copy;
}

std::vector<std::pair<std::string, std::string>> fields_of(std::string_view head) {
  std::vector<std::pair<std::string, std::string>> fields;
  auto line_end = head.find("\r\n");
  while (line_end != std::string_view::npos && line_end + 2 < head.size()) {
    head.remove_prefix(line_end + 2);
    line_end = head.find("\r\n");
    const std::string_view line = head.substr(0, line_end);
    const auto colon = line.find(": ");
    fields.emplace_back(line.substr(0, colon),
                        colon == std::string_view::npos ? "" : line.substr(colon + 2));
  }
  return fields;
}

bool is_readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, kTickMs) > 0;
}

}  // namespace

std::string ReceivedRequest::target() const {
  const auto begin = head.find(' ') + 1;
  const auto line_end = head.find("\r\n");
  const auto end = head.rfind(" HTTP/1.1", line_end);
  return head.substr(begin, end - begin);
}

std::vector<std::string> ReceivedRequest::fields(std::string_view name) const {
  std::vector<std::string> values;
  for (auto& [one, value] : fields_of(head)) {
    if (lower(one) == lower(name)) values.push_back(value);
  }
  return values;
}

std::vector<std::string> ReceivedRequest::field_names() const {
  std::vector<std::string> names;
  for (auto& [one, value] : fields_of(head)) names.push_back(one);
  return names;
}

bool UpstreamPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
      (void)::poll(&ready, 1, kTickMs);
      if (*stopping_) return false;
      continue;
    }
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool UpstreamPeer::answer(unsigned status, std::string_view body, std::string_view lines) {
  return send(fmt::format("HTTP/1.1 {} X\r\n{}Content-Length: {}\r\n\r\n{}", status, lines,
                          body.size(), body));
}

void UpstreamPeer::close() {
  ::shutdown(fd_, SHUT_WR);
  closed_ = true;
}

void UpstreamPeer::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  closed_ = true;
  reset_ = true;
}

void UpstreamPeer::wait_for_end() {
  char byte = 0;
  while (!*stopping_) {
    if (is_readable(fd_) && ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) return;
  }
}

bool UpstreamPeer::pause(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!*stopping_ && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !*stopping_;
}

RecordingUpstream::RecordingUpstream(Handler handler) : handler_(std::move(handler)) {
  if (!handler_) {
    handler_ = [](const ReceivedRequest&, UpstreamPeer& peer) {
      peer.answer(200, "{}", "Content-Type: application/json\r\n");
    };
  }
  listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    std::abort();  // a test without its upstream proves nothing
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::jthread([this] { accept_all(); });
}

RecordingUpstream::~RecordingUpstream() {
  stopping_ = true;
  accepting_.join();
  threads_.clear();
}

void RecordingUpstream::accept_all() {
  while (!stopping_) {
    if (!is_readable(listener_.get())) continue;
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const unsigned number = connections_++;
    threads_.emplace_back([this, fd, number] { serve(fd, number); });
  }
}

bool RecordingUpstream::receive(int fd, std::string& buffer) {
  std::array<char, 65'536> chunk{};
  while (!stopping_) {
    if (!is_readable(fd)) continue;
    const ssize_t got = ::recv(fd, chunk.data(), chunk.size(), 0);
    if (got <= 0) return false;
    const std::scoped_lock lock(mutex_);
    buffer.append(chunk.data(), static_cast<std::size_t>(got));
    bytes_.append(chunk.data(), static_cast<std::size_t>(got));
    return true;
  }
  return false;
}

void RecordingUpstream::serve(int fd, unsigned number) {
  const UniqueFd owned(fd);
  UpstreamPeer peer(fd, stopping_);
  std::string buffer;
  while (!peer.closed()) {
    ReceivedRequest request{.head = {}, .body = {}, .connection = number};
    auto head_end = buffer.find("\r\n\r\n");
    while (head_end == std::string::npos) {
      if (!receive(fd, buffer)) return;
      head_end = buffer.find("\r\n\r\n");
    }
    request.head = buffer.substr(0, head_end + 2);
    buffer.erase(0, head_end + 4);
    std::size_t length = 0;
    for (const std::string& value : request.fields("content-length")) {
      std::from_chars(value.data(), value.data() + value.size(), length);
    }
    while (buffer.size() < length) {
      if (!receive(fd, buffer)) return;
    }
    request.body = buffer.substr(0, length);
    buffer.erase(0, length);
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    handler_(request, peer);
  }
  // The other side may still be reading.
  if (buffer.empty() && !peer.was_reset()) peer.wait_for_end();
}

std::vector<ReceivedRequest> RecordingUpstream::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::string RecordingUpstream::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

void RecordingUpstream::forget() {
  const std::scoped_lock lock(mutex_);
  requests_.clear();
  bytes_.clear();
}

}  // namespace plimsoll
