// The seam for HTTP: sends approved requests of one run to one origin. What may be sent is decided
// before, what is delivered after it; this keeps the bounds of what is read.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/origin.h"
#include "broker/resolver.h"
#include "plimsoll/result.h"
#include "plimsoll/secret.h"

namespace plimsoll {

inline constexpr std::size_t kMaxAnswerHeadBytes =
    65'536;  // all lines, those of 1xx and trailers too

struct HttpRequest {
  std::string method;
  std::string target;  // stands on the request line as it is, byte for byte
  std::optional<std::string> body{};
  std::chrono::milliseconds timeout{0};  // of the whole exchange; at least 1
};

enum class HttpFault : std::uint8_t {
  kNone,
  kPeerRefused,  // an address of the host is one that the run may not talk to
  kUnreachable,  // no address, no connection, no TLS
  kTimedOut,
  kTooLarge,  // head or body beyond its bound
  kBroken,    // no HTTP, cut short, an encoding that cannot be read
};

struct HttpAnswer {
  HttpFault fault = HttpFault::kNone;
  unsigned status = 0;  // 200 to 599; with a fault also 0: none was read
  std::string content_type{};
  std::optional<std::string> retry_after{};  // of several fields none counts
  std::string body{};                        // decoded; empty with a fault
};

struct HttpCompletion {
  std::uint64_t id = 0;
  HttpAnswer answer{};
};

struct TransportOptions {
  Origin origin;
  PeerRule peers = PeerRule::kPublicOnly;
  Secret credential{};
  std::size_t max_body_bytes = 0;  // of an answer, decoded
  std::shared_ptr<Resolver> resolver{};
  std::string ca_file{};  // empty: the host's certificates
};

// Follows no redirect, keeps no cookie, uses no proxy. The host is resolved once, and its addresses
// are checked then and again when a socket is opened. Connections are kept for further requests of
// this object, and closed with it. Used by one thread at a time; nothing blocks. Destruction drops
// what is under way.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;

  // Every id that was started comes out of advance() once.
  virtual void start(std::uint64_t id, HttpRequest request) = 0;
  // Readable when advance() has something to do.
  [[nodiscard]] virtual int fd() const noexcept = 0;
  // Moves on as far as it goes without waiting; the exchanges that ended.
  [[nodiscard]] virtual std::vector<HttpCompletion> advance() = 0;

 protected:
  HttpTransport() = default;
  HttpTransport(const HttpTransport&) = default;
  HttpTransport& operator=(const HttpTransport&) = default;
};

// Makes the transport of a run. Errors: kInfrastructure.
using TransportFactory = Result<std::unique_ptr<HttpTransport>> (*)(TransportOptions options);

}  // namespace plimsoll
