// The seam to HTTP: one POST and its answer, bounded, whatever speaks it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace plimsoll::client {

// Of a body, inflated: protocol 2 promises less.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{32} << 20;
// Of all header fields of an answer.
inline constexpr std::size_t kMaxAnswerHeadBytes = std::size_t{64} << 10;

struct HttpCall {
  std::string_view path;  // "/package.Service/Method"
  std::string_view body;
  Clock::Monotonic deadline;
  std::stop_token cancel;
};

struct HttpReply {
  unsigned status = 0;
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
  std::string body;
};

enum class HttpFault : std::uint8_t {
  kUnreachable,  // no connection
  kUntrusted,    // no TLS, or not with whom it should be
  kCanceled,
  kDeadline,
  kTooLarge,
  kBroken,  // cut short, or no HTTP
};

// kNothing only when it is certain that no byte of the request left.
enum class Sent : std::uint8_t { kNothing, kPerhaps };

struct HttpFailure {
  HttpFault fault = HttpFault::kBroken;
  Sent sent = Sent::kPerhaps;
  std::string message;  // printable ASCII
};

using HttpResult = std::expected<HttpReply, HttpFailure>;

// Implementations are safe for concurrent use, send each request at most once, whatever happens to
// it, and follow no redirect.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  [[nodiscard]] virtual HttpResult post(const HttpCall& call) = 0;

 protected:
  HttpExchange() = default;
  HttpExchange(const HttpExchange&) = default;
  HttpExchange& operator=(const HttpExchange&) = default;
};

}  // namespace plimsoll::client
