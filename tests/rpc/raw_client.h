// A blocking socket that says exactly what it is told, for tests and benchmarks of the transport.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace plimsoll::rpc {

// Every failure to connect or to send is seen as an end of the connection.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      fd_.reset();
      return;
    }
    const int on = 1;
    ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  [[nodiscard]] bool connected() const { return static_cast<bool>(fd_); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }
  void close_write() { ::shutdown(fd_.get(), SHUT_WR); }

  // Whether all of it was taken by the socket.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Whatever comes within the time; empty at the end or when nothing came.
  std::string receive(std::chrono::milliseconds wait = std::chrono::seconds(5)) {
    pollfd ready{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return {};
    const ssize_t got = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
    ended_ = got <= 0;
    return got > 0 ? std::string(buffer_.data(), static_cast<std::size_t>(got)) : std::string();
  }

  // Everything until the peer closes, or nothing comes for the time.
  std::string receive_all(std::chrono::milliseconds wait = std::chrono::seconds(5)) {
    std::string all;
    for (;;) {
      const std::string part = receive(wait);
      if (part.empty()) return all;
      all += part;
    }
  }
  // Since receive() gave nothing: whether it was the end.
  [[nodiscard]] bool ended() const { return ended_; }

  // One HTTP/1.1 response with a Content-Length: head and body. Empty at the end.
  std::string response(std::chrono::milliseconds wait = std::chrono::seconds(5)) {
    for (;;) {
      const std::size_t head = pending_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t size = head + 4 + content_length(pending_.substr(0, head));
        if (pending_.size() >= size) {
          std::string whole = pending_.substr(0, size);
          pending_.erase(0, size);
          return whole;
        }
      }
      const std::string part = receive(wait);
      if (part.empty()) return std::exchange(pending_, {});
      pending_ += part;
    }
  }

 private:
  static std::size_t content_length(const std::string& head) {
    constexpr std::string_view kName = "content-length: ";
    const std::size_t at = head.find(kName);
    std::size_t value = 0;
    if (at != std::string::npos) {
      std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), value);
    }
    return value;
  }

  UniqueFd fd_;
  std::string pending_;
  std::array<char, 65'536> buffer_{};
  bool ended_ = false;
};

}  // namespace plimsoll::rpc
