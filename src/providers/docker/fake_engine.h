// A scripted container engine on a unix socket, for tests: it answers what it was told to, one
// connection after the other, and keeps what it was asked.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace plimsoll::docker {

// What comes back for "METHOD /path", where the path may go on behind what is written.
struct Script {
  std::string bytes{};     // the whole answer, head and all
  bool stay_open = false;  // afterwards; else the connection is closed
};

[[nodiscard]] inline std::string http(unsigned status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class FakeEngine {
 public:
  explicit FakeEngine(std::map<std::string, Script> scripts)
      : scripts_(std::move(scripts)), folder_(make_folder()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket_path();
    std::memcpy(address.sun_path, path.data(), path.size());
    listener_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 16) != 0) {
      throw std::runtime_error("no socket to listen on");
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~FakeEngine() {
    thread_.request_stop();
    thread_.join();
    std::filesystem::remove_all(folder_);
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  [[nodiscard]] std::string socket_path() const { return folder_ + "/s"; }
  [[nodiscard]] std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  static std::string make_folder() {
    std::string folder = "/tmp/plimsoll-fake.XXXXXX";  // a socket's path must be short
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder");
    return folder;
  }

  static bool readable(int fd) {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    return ::poll(&ready, 1, 20) > 0;
  }

  void serve(const std::stop_token& stop) {
    std::vector<UniqueFd> open;
    while (!stop.stop_requested()) {
      if (!readable(listener_.get())) continue;
      UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connection && answer(connection.get(), stop)) open.push_back(std::move(connection));
    }
  }

  // Whether the connection stays open.
  bool answer(int fd, const std::stop_token& stop) {
    std::string request;
    while (!stop.stop_requested() && request.find("\r\n\r\n") == std::string::npos) {
      if (!readable(fd)) continue;
      std::array<char, 4'096> buffer{};
      const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const std::string line = request.substr(0, request.find(" HTTP/"));
    const std::lock_guard lock(mutex_);
    requests_.push_back(line);
    const auto script = std::ranges::find_if(
        scripts_, [&](const auto& one) { return line.starts_with(one.first); });
    if (script == scripts_.end()) return false;
    const std::string& bytes = script->second.bytes;
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return script->second.stay_open;
  }

  const std::map<std::string, Script> scripts_;
  const std::string folder_;
  UniqueFd listener_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::jthread thread_;
};

}  // namespace plimsoll::docker
