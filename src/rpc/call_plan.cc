#include "rpc/call_plan.h"

#include <algorithm>
#include <array>

#include "rpc/connect_query.h"
#include "rpc/grpc_frame.h"
#include "rpc/gzip.h"
#include "rpc/timeout.h"

namespace plimsoll::rpc {

namespace {

constexpr std::array<Media, 6> kMedia{{
    {.codec = Codec::kJson, .content_type = "application/json"},
    {.content_type = "application/proto"},
    {.protocol = Protocol::kGrpc, .content_type = "application/grpc"},
    {.protocol = Protocol::kGrpc, .content_type = "application/grpc+proto"},
    {.protocol = Protocol::kGrpcWeb, .content_type = "application/grpc-web"},
    {.protocol = Protocol::kGrpcWeb, .content_type = "application/grpc-web+proto"},
}};

std::unexpected<Status> refuse(Code code, std::string message, unsigned http = 0) {
  return std::unexpected(
      Status{.code = code, .message = std::move(message), .http_override = http});
}

std::unexpected<Status> unknown_media(const RequestHead& head) {
  const auto given = head.headers.find("content-type");
  std::string message = !given ? "the request has no content type"
                               : "the content type " + std::string(given->substr(0, 100)) +
                                     " is not served over this HTTP version";
  message +=
      "; accepted: application/json, application/proto, application/grpc (HTTP/2), "
      "application/grpc-web";
  return refuse(Code::kInvalidArgument, std::move(message), 415);
}

std::expected<Encoding, Status> request_encoding(std::string_view name) {
  if (const auto encoding = parse_encoding(name)) return *encoding;
  return refuse(Code::kUnimplemented,
                "the encoding " + std::string(name.substr(0, 100)) +
                    " is not supported; accepted: " + std::string(kSupportedEncodings));
}

std::chrono::milliseconds clamp(std::chrono::milliseconds timeout, const Limits& limits) {
  return std::min(timeout, limits.max_timeout);
}

// What Connect says beside the body, by POST and by GET.
Status read_connect_headers(const RequestHead& head, const Limits& limits, CallPlan& plan) {
  if (const auto version = head.headers.find("connect-protocol-version")) {
    if (*version != "1") {
      return {.code = Code::kInvalidArgument,
              .message = "Connect-Protocol-Version is not 1, the only one there is"};
    }
  }
  if (const auto text = head.headers.find("connect-timeout-ms")) {
    const auto timeout = parse_connect_timeout(*text);
    if (!timeout) {
      return {.code = Code::kInvalidArgument,
              .message = "Connect-Timeout-Ms is 1 to 10 digits and more than zero"};
    }
    plan.timeout = clamp(*timeout, limits);
  }
  plan.answer_encoding = choose_encoding(head.headers.find("accept-encoding").value_or(""));
  return {};
}

std::expected<CallPlan, Status> plan_get(const RequestHead& head, const Limits& limits) {
  auto query = parse_connect_query(head.query);
  if (!query) return std::unexpected(std::move(query.error()));
  CallPlan plan{.media = kMedia[0]};
  if (query->encoding == "proto") {
    plan.media = kMedia[1];
  } else if (query->encoding != "json") {
    return refuse(Code::kInvalidArgument, "the query's encoding is json or proto", 415);
  }
  if (Status bad = read_connect_headers(head, limits, plan); !bad.ok()) {
    return std::unexpected(std::move(bad));
  }
  const auto encoding = request_encoding(query->compression);
  if (!encoding) return std::unexpected(encoding.error());
  plan.request_encoding = *encoding;
  plan.query_message = std::move(query->message);
  return plan;
}

Status read_grpc_headers(const RequestHead& head, const Limits& limits, CallPlan& plan) {
  if (const auto text = head.headers.find("grpc-timeout")) {
    const auto timeout = parse_grpc_timeout(*text);
    if (!timeout) {
      return {.code = Code::kInvalidArgument,
              .message = "grpc-timeout is 1 to 8 digits and a unit: H, M, S, m, u or n"};
    }
    plan.timeout = clamp(*timeout, limits);
  }
  plan.answer_encoding = choose_encoding(head.headers.find("grpc-accept-encoding").value_or(""));
  return {};
}

Status inflate_into(const Limits& limits, std::string_view bytes, std::string& out) {
  auto inflated = gzip_inflate(bytes, limits.body_bytes);
  if (inflated) {
    out = *std::move(inflated);
    return {};
  }
  if (inflated.error() == InflateError::kTooLarge) return body_too_large(limits);
  return {.code = Code::kInvalidArgument, .message = "the body is not valid gzip"};
}

std::expected<std::string, Status> unwrap_frame(const CallPlan& plan, std::string body,
                                                const Limits& limits) {
  std::string_view rest = body;
  GrpcFrame frame;
  switch (take_frame(rest, limits.body_bytes, frame)) {
    case FrameState::kTooLarge:
      return std::unexpected(body_too_large(limits));
    case FrameState::kBadFlags:
      return refuse(Code::kInvalidArgument, "the message's prefix has unknown flags");
    case FrameState::kNeedMore:
      // gRPC's status codes: a unary method got no message.
      if (body.empty()) return refuse(Code::kUnimplemented, "there is no message; wanted: one");
      return refuse(Code::kInvalidArgument, "the message is cut short");
    case FrameState::kFrame:
      break;
  }
  if (!rest.empty()) return refuse(Code::kUnimplemented, "more than one message; wanted: one");
  if ((frame.flags & kGrpcCompressed) == 0) {
    body.erase(0, kGrpcPrefixBytes);
    return body;
  }
  if (plan.request_encoding == Encoding::kIdentity) {
    return refuse(Code::kInternal, "the message is flagged as compressed, without an encoding");
  }
  std::string out;
  if (frame.payload.empty()) return out;
  if (Status bad = inflate_into(limits, frame.payload, out); !bad.ok()) {
    return std::unexpected(std::move(bad));
  }
  return out;
}

}  // namespace

std::optional<Media> parse_media(std::string_view content_type, HttpVersion version) noexcept {
  const std::string_view name = trim(content_type.substr(0, content_type.find(';')));
  for (const Media& media : kMedia) {
    if (!equal_ignoring_case(name, media.content_type)) continue;
    if (media.protocol == Protocol::kGrpc && version != HttpVersion::kHttp2) break;
    return media;
  }
  return std::nullopt;
}

Media answer_media(const RequestHead& head) noexcept {
  if (const auto type = head.headers.find("content-type")) {
    if (const auto media = parse_media(*type, head.version)) return *media;
  }
  return kMedia[0];
}

Status check_verb(const RequestHead& head, const Method& method) {
  const bool by_get = method.effects == Effects::kNone;
  if (head.method == "POST" || (by_get && head.method == "GET")) return {};
  return {.code = Code::kUnimplemented,
          .message = by_get ? "called by POST or GET only" : "called by POST only",
          .http_override = 405,
          .allow = by_get ? "GET, POST" : "POST"};
}

std::expected<CallPlan, Status> plan_call(const RequestHead& head, const Limits& limits) {
  if (head.method == "GET") return plan_get(head, limits);
  const auto type = head.headers.find("content-type");
  const auto media = type ? parse_media(*type, head.version) : std::nullopt;
  if (!media) return unknown_media(head);
  CallPlan plan{.media = *media};
  const bool connect = media->protocol == Protocol::kConnect;
  Status bad =
      connect ? read_connect_headers(head, limits, plan) : read_grpc_headers(head, limits, plan);
  if (!bad.ok()) return std::unexpected(std::move(bad));
  const auto name = head.headers.find(connect ? "content-encoding" : "grpc-encoding");
  const auto encoding = request_encoding(name.value_or(""));
  if (!encoding) return std::unexpected(encoding.error());
  plan.request_encoding = *encoding;
  if (head.content_length.value_or(0) > body_limit(media->protocol, limits)) {
    return std::unexpected(body_too_large(limits));
  }
  return plan;
}

std::size_t body_limit(Protocol protocol, const Limits& limits) noexcept {
  return limits.body_bytes + (protocol == Protocol::kConnect ? 0 : kGrpcPrefixBytes);
}

Status body_too_large(const Limits& limits) {
  return {.code = Code::kResourceExhausted,
          .message = "the message is larger than " + std::to_string(limits.body_bytes) + " bytes"};
}

std::expected<std::string, Status> unwrap_message(const CallPlan& plan, std::string body,
                                                  const Limits& limits) {
  if (plan.media.protocol != Protocol::kConnect) return unwrap_frame(plan, std::move(body), limits);
  // Nothing was compressed to nothing: no bytes are the empty message.
  if (plan.request_encoding == Encoding::kIdentity || body.empty()) return body;
  std::string out;
  if (Status bad = inflate_into(limits, body, out); !bad.ok()) {
    return std::unexpected(std::move(bad));
  }
  return out;
}

}  // namespace plimsoll::rpc
