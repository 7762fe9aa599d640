// What the transport asks of whoever serves with it: methods, callers, endpoints. No type of an
// HTTP library is seen here.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/http.h"
#include "rpc/status.h"

namespace google::protobuf {
class Message;
}

namespace plimsoll::rpc {

using SteadyTime = std::chrono::steady_clock::time_point;

enum class Protocol : std::uint8_t { kConnect, kGrpc, kGrpcWeb };
// "connect", "grpc", "grpc_web".
[[nodiscard]] std::string_view to_string(Protocol protocol) noexcept;

// Who calls; the service derives its own from it. Made by Hooks::authenticate, given to the
// handler.
class Principal {
 public:
  Principal() = default;
  Principal(const Principal&) = delete;
  Principal& operator=(const Principal&) = delete;
  virtual ~Principal() = default;
};

// What a handler knows of its call. Valid until the handler returns.
struct CallContext {
  std::shared_ptr<const Peer> peer;
  std::shared_ptr<const Principal> principal;  // null for an open method
  Protocol protocol = Protocol::kConnect;
  SteadyTime arrived;  // the head; what came of the call until now took the rest
  // The client's Connect-Timeout-Ms or grpc-timeout, from the arrival of the head. The transport
  // answers deadline_exceeded by itself when it passes, and requests a stop.
  std::optional<SteadyTime> deadline;
  // Requested when the client left, the deadline passed, or the server shuts down. A callback of it
  // runs on the connection's thread: it must not block.
  std::stop_token stop;
};

enum class Effects : std::uint8_t {
  kSideEffects,  // by POST only
  kNone,         // may be called by Connect GET too
};
enum class Access : std::uint8_t {
  kCallers,  // Hooks::authenticate decides, before the body is read
  kOpen,
};
enum class Runs : std::uint8_t {
  kOnWorker,  // may block: on a thread of the worker pool
  kInline,    // never blocks: on the connection's thread
};

// One unary method. `request` and `response` are prototypes (default instances), alive as long as
// the server. `handle` fills the response and returns kOk, or returns why not. It is called on many
// threads at once and must not throw; what it throws becomes `internal`.
struct Method {
  std::string path;  // "/plimsoll.v1.SandboxService/Run"
  Effects effects = Effects::kSideEffects;
  Access access = Access::kCallers;
  Runs runs = Runs::kOnWorker;
  const google::protobuf::Message* request = nullptr;
  const google::protobuf::Message* response = nullptr;
  std::function<Status(const CallContext&, const google::protobuf::Message&,
                       google::protobuf::Message&)>
      handle;
};

// Where the transport refused a call by itself, so that its handler never saw it.
enum class Refusal : std::uint8_t {
  kCaller,      // authenticate said no
  kRequest,     // no valid call of the method: codec, size, encoding, timeout, malformed message
  kOverloaded,  // no worker, or no room for the body
  kDraining,    // the server takes no more calls
};

// A plain HTTP answer (GET and HEAD), such as /healthz and /metrics.
struct PlainAnswer {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
struct Endpoint {
  std::string path;
  // kOnWorker: on a thread of its own that all endpoints share, so that a full worker pool does not
  // fail a liveness check.
  Runs runs = Runs::kInline;
  // An answer is given again for this long before `answer` is called anew: polling is cheap.
  std::chrono::milliseconds keep{0};
  std::function<PlainAnswer()> answer;
};

// Called by the transport. Both must be thread-safe, must not block and must not throw.
struct Hooks {
  // Who the caller is, and whether it may call this method; called when the head has arrived and no
  // byte of the body has been taken. Unset: every call is refused.
  std::function<std::expected<std::shared_ptr<const Principal>, Status>(const RequestHead&,
                                                                        const Peer&, const Method&)>
      authenticate;
  // A call was refused before its handler: adds details to what the client gets, and may audit it.
  // `principal` is null for kCaller.
  std::function<void(Refusal, const Method&, const Peer&, const Principal* principal, Status&)>
      refused;
};

}  // namespace plimsoll::rpc
