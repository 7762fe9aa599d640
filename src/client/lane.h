// One connection to the service and its libcurl handles, for one call at a time.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "client/client_config.h"
#include "client/http_exchange.h"

namespace plimsoll::client {

struct FreeSlist {
  void operator()(curl_slist* list) const noexcept { ::curl_slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, FreeSlist>;

// What every lane of a client shares, read only. Holds the token, in the header that it is sent in.
struct LaneSettings {
  CheckedConfig config;
  std::string base_url;
  Slist headers;      // of every request
  Slist pinned_host;  // localhost, and what it is

  [[nodiscard]] static std::shared_ptr<const LaneSettings> make(const CheckedConfig& config);
};

// Not for concurrent use, but for a call's stop token. libcurl is initialised. The rules that are
// kept here, since libcurl has other defaults: no proxy, no redirect, no protocol but HTTP, no
// cookie, and a request is sent once: when a kept connection turns out to be dead, libcurl would
// send a POST again that may have been served. Its sockets are not inherited by other programs.
class Lane {
 public:
  // Throws std::bad_alloc when libcurl has no handle.
  explicit Lane(std::shared_ptr<const LaneSettings> settings);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  [[nodiscard]] HttpResult post(const HttpCall& call);
  // False: its last call ended early, so that it has to be destroyed, which closes the connection.
  [[nodiscard]] bool reusable() const noexcept { return reusable_; }
  // True: its last call failed without having sent anything, because the kept connection had been
  // closed and this lane cannot make another. A new lane can.
  [[nodiscard]] bool stale() const noexcept { return stale_; }

 private:
  struct Transfer;

  void set_up();
  CURLcode drive(Transfer& transfer);
  [[nodiscard]] HttpResult conclude(CURLcode code, Transfer& transfer) const;
  // libcurl's callbacks; `data` is the call's Transfer.
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* data);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* data);
  static curl_socket_t on_socket(void* data, curlsocktype purpose, curl_sockaddr* address);
  static int on_request(void* data, char* peer, char* own, int peer_port, int own_port);

  std::shared_ptr<const LaneSettings> settings_;
  CURLM* multi_ = nullptr;
  CURL* easy_ = nullptr;
  bool reusable_ = true;
  bool stale_ = false;
  bool connected_ = false;  // a call has succeeded
};

}  // namespace plimsoll::client
