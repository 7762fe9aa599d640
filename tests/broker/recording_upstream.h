// An API on loopback that remembers every byte it was sent and misbehaves to order. For tests and
// benchmarks; speaks raw sockets, so that nothing between it and a test tidies up what was sent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace plimsoll {

// One request as it came.
struct ReceivedRequest {
  std::string head;  // the request line and the fields, with their CRLFs, without the empty line
  std::string body;
  unsigned connection = 0;  // 0 is the first that was accepted

  [[nodiscard]] std::string method() const { return head.substr(0, head.find(' ')); }
  [[nodiscard]] std::string target() const;
  // The values of the fields with this name, in lower case.
  [[nodiscard]] std::vector<std::string> fields(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> field_names() const;  // as written
};

// The connection that a request came on. send() says whether the other side still takes bytes.
class UpstreamPeer {
 public:
  UpstreamPeer(int fd, const std::atomic<bool>& stopping) : fd_(fd), stopping_(&stopping) {}

  bool send(std::string_view bytes);
  // An answer with Content-Length and these further lines, each with its CRLF.
  bool answer(unsigned status, std::string_view body = "", std::string_view lines = "");
  void close();  // after what was sent
  void reset();  // RST
  // Until the other side closes, or the upstream stops.
  void wait_for_end();
  // False: the upstream stops.
  bool pause(std::chrono::milliseconds time);
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool was_reset() const { return reset_; }

 private:
  int fd_;
  const std::atomic<bool>* stopping_;
  bool closed_ = false;
  bool reset_ = false;
};

class RecordingUpstream {
 public:
  // Called on the connection's thread, for one request after the other. Doing nothing: no answer,
  // and the connection stays open.
  using Handler = std::function<void(const ReceivedRequest&, UpstreamPeer&)>;

  // Answers 200 with "{}" unless told otherwise.
  explicit RecordingUpstream(Handler handler = {});
  RecordingUpstream(const RecordingUpstream&) = delete;
  RecordingUpstream& operator=(const RecordingUpstream&) = delete;
  ~RecordingUpstream();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<ReceivedRequest> requests() const;
  [[nodiscard]] unsigned connections() const { return connections_; }
  // Everything that came on any connection, whatever it was.
  [[nodiscard]] std::string bytes() const;
  void forget();

 private:
  void accept_all();
  void serve(int fd, unsigned number);
  // Appends what comes to `buffer`; false at the end, or when the upstream stops.
  bool receive(int fd, std::string& buffer);

  Handler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<unsigned> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<ReceivedRequest> requests_;
  std::string bytes_;
  std::list<std::jthread> threads_;  // of connections; touched by the accepting thread alone
  std::jthread accepting_;
};

}  // namespace plimsoll
