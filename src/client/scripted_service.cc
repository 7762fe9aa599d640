#include "client/scripted_service.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace plimsoll::client {

bool ScriptedConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool ScriptedConnection::receive(ReceivedRequest& request) const {
  constexpr std::string_view kLength = "content-length: ";
  std::string bytes;
  std::array<char, 65'536> buffer{};
  for (;;) {
    const auto end = bytes.find("\r\n\r\n");
    if (end != std::string::npos) {
      request.head = bytes.substr(0, end + 4);
      for (char& c : request.head) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      }
      std::size_t length = 0;
      if (const auto at = request.head.find(kLength); at != std::string::npos) {
        const char* digits = request.head.data() + at + kLength.size();
        std::from_chars(digits, request.head.data() + request.head.size(), length);
      }
      if (bytes.size() >= end + 4 + length) {
        request.body = bytes.substr(end + 4, length);
        return true;
      }
    }
    const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void ScriptedConnection::wait_for_close() const {
  std::array<char, 4096> buffer{};
  while (::recv(fd_, buffer.data(), buffer.size(), 0) > 0) {
  }
}

ScriptedService::ScriptedService(Script script) : script_(std::move(script)) {
  listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || ::bind(listener_.get(), any, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), any, &size) != 0) {
    throw std::runtime_error("no listener");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

ScriptedService::~ScriptedService() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (const UniqueFd& fd : open_) ::shutdown(fd.get(), SHUT_RDWR);
  threads_.clear();  // joins
}

std::string ScriptedService::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void ScriptedService::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.emplace_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void ScriptedService::serve(int fd) {
  const ScriptedConnection connection(fd);
  ReceivedRequest request;
  while (connection.receive(request)) {
    ++requests_;
    const Then then = script_(request, connection);
    if (then == Then::kReset) {
      const sockaddr nobody{.sa_family = AF_UNSPEC, .sa_data = {}};
      if (::connect(fd, &nobody, sizeof nobody) != 0) ::shutdown(fd, SHUT_RDWR);
      ++ended_;
      return;
    }
    if (then == Then::kClose) break;
  }
  ::shutdown(fd, SHUT_RDWR);
  ++ended_;
}

std::string http_answer(unsigned status, std::string_view fields, std::string_view body) {
  return fmt::format("HTTP/1.1 {} x\r\n{}Content-Length: {}\r\n\r\n{}", status, fields, body.size(),
                     body);
}

std::string proto_answer(std::string_view body) {
  return http_answer(200, "Content-Type: application/proto\r\n", body);
}

}  // namespace plimsoll::client
