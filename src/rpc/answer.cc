#include "rpc/answer.h"

#include "rpc/error_text.h"
#include "rpc/grpc_frame.h"
#include "rpc/gzip.h"

namespace plimsoll::rpc {

namespace {

void add_retry_after(Headers& headers, const Status& status) {
  if (!status.retry_after) return;
  headers.add("retry-after", std::to_string(status.retry_after->count()));
}

Response connect_error(const Status& status) {
  Response response;
  response.status = status.http_override != 0 ? status.http_override : http_status(status.code);
  response.headers.add("content-type", "application/json");
  // RFC 9110: what is accepted instead, with the statuses that ask for it.
  if (response.status == 401) response.headers.add("www-authenticate", "Bearer");
  if (!status.allow.empty()) response.headers.add("allow", status.allow);
  if (response.status == 415) {
    response.headers.add("accept-post", "application/json, application/proto");
  }
  if (status.code == Code::kUnimplemented) {
    response.headers.add("accept-encoding", kSupportedEncodings);
  }
  add_retry_after(response.headers, status);
  response.body = connect_error_json(status);
  return response;
}

}  // namespace

Headers grpc_head(const Media& media) {
  Headers headers;
  headers.add("content-type", media.content_type);
  headers.add("grpc-accept-encoding", kSupportedEncodings);
  return headers;
}

Headers grpc_trailers(const Status& status) {
  Headers trailers;
  add_grpc_status(trailers, status);
  add_retry_after(trailers, status);
  return trailers;
}

Response answer_message(const CallPlan& plan, std::string message,
                        std::size_t compress_from_bytes) {
  Response response;
  bool compress = plan.answer_encoding == Encoding::kGzip && message.size() >= compress_from_bytes;
  if (compress) {
    std::string deflated = gzip_deflate(message);
    compress = deflated.size() < message.size();
    if (compress) message = std::move(deflated);
  }
  if (plan.media.protocol == Protocol::kConnect) {
    response.headers.add("content-type", plan.media.content_type);
    if (compress) response.headers.add("content-encoding", "gzip");
    // A cache must not give a compressed answer to who cannot read it.
    if (plan.query_message) response.headers.add("vary", "accept-encoding");
    response.body = std::move(message);
    return response;
  }
  response.headers = grpc_head(plan.media);
  if (compress) response.headers.add("grpc-encoding", "gzip");
  append_frame(response.body, compress ? kGrpcCompressed : 0, message);
  if (plan.media.protocol == Protocol::kGrpc) {
    response.trailers = grpc_trailers({});
  } else {
    append_frame(response.body, kGrpcWebTrailers, grpc_web_trailers({}));
  }
  return response;
}

Response answer_error(const Media& media, const Status& status) {
  if (media.protocol == Protocol::kConnect) return connect_error(status);
  Response response;
  response.headers = grpc_head(media);
  if (media.protocol == Protocol::kGrpc) {
    add_grpc_status(response.headers, status);
    add_retry_after(response.headers, status);
  } else {
    append_frame(response.body, kGrpcWebTrailers, grpc_web_trailers(status));
  }
  return response;
}

}  // namespace plimsoll::rpc
