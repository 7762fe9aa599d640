// HTTP to the container engine, by libcurl. Each call has a deadline: a broken runtime makes the
// engine hang, and it must not take us along. Answers are bounded before they are kept.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "guest/byte_stream.h"
#include "plimsoll/result.h"
#include "providers/docker/curl_library.h"
#include "providers/docker/endpoint.h"

namespace plimsoll::docker {

inline constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;
// Of a list: some ten thousand containers, so that what many crashes have left can be removed.
inline constexpr std::size_t kMaxListBytes = std::size_t{16} << 20;

struct EngineCall {
  std::string_view method = "GET";
  std::string path{};  // with its query, from the '/' on
  std::string body{};  // JSON; empty: none
  std::chrono::milliseconds timeout{10'000};
  std::size_t max_answer_bytes = kMaxAnswerBytes;
  // Once stop is requested the exchange is given up, within a second or so. What it asked for may
  // happen all the same.
  std::stop_token cancel{};
};

struct EngineAnswer {
  unsigned status = 0;
  std::string body{};
};

struct FreeCurl {
  void operator()(CURL* handle) const noexcept { curl_library()->easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, FreeCurl>;

// Safe for concurrent use. Keeps connections for later calls.
class EngineClient {
 public:
  explicit EngineClient(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  // One exchange, whatever its status. Errors: kNotReady (no answer in time, none at all, or one
  // beyond its bound, or it was canceled), with the engine's endpoint and libcurl's reason.
  [[nodiscard]] Result<EngineAnswer> call(const EngineCall& call);

  // Sends a POST that turns its connection into a raw one (101 UPGRADED), and gives that: what
  // the container writes to stdout is read, what is written goes to its stdin. Errors: kNotReady.
  [[nodiscard]] Result<std::unique_ptr<guest::ByteStream>> hijack(
      const std::string& path, std::chrono::milliseconds timeout);

  [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }

 private:
  [[nodiscard]] CurlHandle take_handle();
  void give_back(CurlHandle handle);
  [[nodiscard]] bool set_connection(CURL* handle, const std::string& path) const;

  const Endpoint endpoint_;
  std::mutex mutex_;
  std::vector<CurlHandle> idle_;
};

}  // namespace plimsoll::docker
