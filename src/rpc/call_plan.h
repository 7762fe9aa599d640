// What a request's head asks for, before its body is read. Pure: no state, no effects.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/encoding.h"
#include "rpc/handler.h"
#include "rpc/http.h"
#include "rpc/message_codec.h"
#include "rpc/options.h"
#include "rpc/status.h"

namespace plimsoll::rpc {

// A protocol and a codec, as a content type names them.
struct Media {
  Protocol protocol = Protocol::kConnect;
  Codec codec = Codec::kProto;
  std::string_view content_type;  // ours, without parameters; a literal
};

// "application/json", "application/proto", "application/grpc[+proto]" (HTTP/2 only),
// "application/grpc-web[+proto]", with any parameters. nullopt: anything else.
[[nodiscard]] std::optional<Media> parse_media(std::string_view content_type,
                                               HttpVersion version) noexcept;

// How an answer, good or bad, is written for this request. Known for every request: what has no
// media is answered as Connect JSON.
[[nodiscard]] Media answer_media(const RequestHead& head) noexcept;

struct CallPlan {
  Media media;
  Encoding request_encoding = Encoding::kIdentity;
  Encoding answer_encoding = Encoding::kIdentity;
  std::optional<std::chrono::milliseconds> timeout;  // clamped to Limits::max_timeout
  // Connect GET: the message is here, and the request has no body.
  std::optional<std::string> query_message;
};

// Whether the method may be called with this verb: 405 with Allow when not.
[[nodiscard]] Status check_verb(const RequestHead& head, const Method& method);

// Reads content type, versions, timeouts, codings and the announced size. The error's http_override
// is set where HTTP has a status of its own.
[[nodiscard]] std::expected<CallPlan, Status> plan_call(const RequestHead& head,
                                                        const Limits& limits);

// The body may be this long on the wire.
[[nodiscard]] std::size_t body_limit(Protocol protocol, const Limits& limits) noexcept;
// What is said of one that is longer.
[[nodiscard]] Status body_too_large(const Limits& limits);

// The message of a whole body: its frame taken off (gRPC and gRPC-Web), inflated within the limit.
// `body` is consumed.
[[nodiscard]] std::expected<std::string, Status> unwrap_message(const CallPlan& plan,
                                                                std::string body,
                                                                const Limits& limits);

}  // namespace plimsoll::rpc
