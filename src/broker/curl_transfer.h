// One exchange by libcurl: its handle, its request, what of the answer came so far.
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/answer_head.h"
#include "broker/header_policy.h"
#include "broker/http_transport.h"
#include "broker/socket_watch.h"

namespace plimsoll {

struct FreeCurl {
  void operator()(CURL* handle) const noexcept { ::curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, FreeCurl>;

// A list of header lines for libcurl, wiped before it is freed.
struct FreeFields {
  void operator()(curl_slist* list) const noexcept;
};
using CurlFields = std::unique_ptr<curl_slist, FreeFields>;

// What all exchanges of a run share. Outlives them.
struct CurlSettings {
  TransportOptions options;
  std::string url;  // the origin; the path of the request stands in its target
  CurlFields fields_with_body;
  CurlFields fields_without_body;
  std::vector<IpAddress> peers;    // resolved and checked
  CurlFields pinned;               // the same for libcurl, which then resolves nothing by itself
  SocketWatch* sockets = nullptr;  // hears of each socket that is closed; null: nobody does

  explicit CurlSettings(TransportOptions from);
  // Takes the addresses that were resolved. False: one of them may not be talked to, and none is
  // used.
  [[nodiscard]] bool pin(std::vector<IpAddress> addresses);
};

// Reused for one exchange after the other, so that what libcurl allocates is allocated once. Does
// not move: libcurl holds its address.
class CurlTransfer {
 public:
  explicit CurlTransfer(const CurlSettings& settings);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // False: libcurl has no memory.
  [[nodiscard]] bool prepare(std::uint64_t id, HttpRequest request);
  [[nodiscard]] CURL* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  // The transfer of a handle that prepare() readied.
  [[nodiscard]] static CurlTransfer* of(CURL* handle);

  // What it came to, when libcurl says that it ended with `code`.
  [[nodiscard]] HttpAnswer finish(CURLcode code);

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_send(char* into, std::size_t size, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_close(void* sockets, curl_socket_t socket);

  void set_constants();
  void set_request();
  template <class Value>
  void set(CURLoption option, Value value);

  const CurlSettings* settings_;
  CurlHandle handle_;
  bool failed_to_set_ = false;

  std::uint64_t id_ = 0;
  HttpRequest request_;
  std::size_t sent_ = 0;  // of the body, when it is sent by on_send()
  AnswerHead head_;
  std::string body_;
  bool too_large_ = false;
  bool peer_refused_ = false;
};

}  // namespace plimsoll
