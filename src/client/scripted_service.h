// A service that answers what a test tells it to, byte by byte, over a real socket. For tests only.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace plimsoll::client {

struct ReceivedRequest {
  std::string head;  // request line and fields, with their line breaks
  std::string body;
};

// One connection; blocking.
class ScriptedConnection {
 public:
  explicit ScriptedConnection(int fd) : fd_(fd) {}

  // False: the peer is gone.
  bool send(std::string_view bytes) const;
  // A whole HTTP/1.1 request with Content-Length. False: the peer is gone.
  bool receive(ReceivedRequest& request) const;
  // Returns when the peer has closed its side.
  void wait_for_close() const;

 private:
  int fd_;
};

enum class Then { kKeepOpen, kClose, kReset };

// Listens on a port of 127.0.0.1 that the kernel chooses. Serves each connection in a thread of its
// own. Destruction closes them all.
class ScriptedService {
 public:
  using Script = std::function<Then(const ReceivedRequest&, const ScriptedConnection&)>;

  explicit ScriptedService(Script script);
  ScriptedService(const ScriptedService&) = delete;
  ScriptedService& operator=(const ScriptedService&) = delete;
  ~ScriptedService();

  [[nodiscard]] std::string url() const;
  [[nodiscard]] unsigned connections() const { return connections_; }
  // Of these, how many it has closed or reset by itself.
  [[nodiscard]] unsigned ended() const { return ended_; }
  [[nodiscard]] unsigned requests() const { return requests_; }

 private:
  void accept_all();
  void serve(int fd);

  Script script_;
  UniqueFd listener_;
  unsigned port_ = 0;
  std::atomic<unsigned> connections_ = 0;
  std::atomic<unsigned> ended_ = 0;
  std::atomic<unsigned> requests_ = 0;
  std::mutex mutex_;
  std::list<UniqueFd> open_;  // closed only at the end, so that no number is used again
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

// "HTTP/1.1 STATUS x", the fields (each with its line break), Content-Length, and the body.
[[nodiscard]] std::string http_answer(unsigned status, std::string_view fields,
                                      std::string_view body);

// http_answer() of 200 with application/proto.
[[nodiscard]] std::string proto_answer(std::string_view body);

}  // namespace plimsoll::client
