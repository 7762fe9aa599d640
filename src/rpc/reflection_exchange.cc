#include "rpc/reflection_exchange.h"

#include <utility>

#include "rpc/answer.h"
#include "rpc/encoding.h"
#include "rpc/grpc_frame.h"
#include "rpc/gzip.h"
#include "rpc/reflection.h"

namespace plimsoll::rpc {

ReflectionExchange::ReflectionExchange(ServerCore& core, const Routes& routes,
                                       std::shared_ptr<const Peer> peer, RequestHead head,
                                       Responder& responder)
    : core_(core),
      routes_(routes),
      peer_(std::move(peer)),
      head_(std::move(head)),
      media_(answer_media(head_)),
      responder_(&responder) {}

bool ReflectionExchange::takes(const RequestHead& head) noexcept {
  return head.method == "POST" && answer_media(head).protocol == Protocol::kGrpc;
}

void ReflectionExchange::on_start() {
  if (!core_.hooks.authenticate) return end({.code = Code::kUnauthenticated});
  auto principal = core_.hooks.authenticate(head_, *peer_, routes_.reflection);
  if (!principal) {
    if (core_.hooks.refused) {
      core_.hooks.refused(Refusal::kCaller, routes_.reflection, *peer_, nullptr, principal.error());
    }
    return end(principal.error());
  }
  open_ = true;
  responder_->open({.headers = grpc_head(media_)});
}

std::optional<std::string> ReflectionExchange::inflated(std::string_view payload) const {
  const auto name = head_.headers.find("grpc-encoding");
  if (!name || parse_encoding(*name) != Encoding::kGzip) return std::nullopt;
  if (payload.empty()) return std::string();
  auto question = gzip_inflate(payload, kMaxQuestionBytes);
  if (!question) return std::nullopt;
  return *std::move(question);
}

void ReflectionExchange::on_body(std::string_view bytes) {
  if (responder_ == nullptr) return;
  pending_ += bytes;
  std::string_view rest = pending_;
  std::string answers;
  for (;;) {
    GrpcFrame frame;
    const FrameState state = take_frame(rest, kMaxQuestionBytes, frame);
    if (state == FrameState::kNeedMore) break;
    if (state != FrameState::kFrame || ++questions_ > kMaxQuestions) {
      return end({.code = Code::kResourceExhausted,
                  .message = "too many or too large reflection requests"});
    }
    const auto question = (frame.flags & kGrpcCompressed) != 0
                              ? inflated(frame.payload)
                              : std::optional<std::string>(frame.payload);
    const auto answer = question ? answer_reflection(routes_.services, *question) : std::nullopt;
    if (!answer) {
      return end({.code = Code::kInvalidArgument, .message = "not a reflection request"});
    }
    append_frame(answers, 0, *answer);
  }
  pending_.erase(0, pending_.size() - rest.size());
  if (!answers.empty()) responder_->send(std::move(answers));
}

void ReflectionExchange::on_end() { end({}); }

void ReflectionExchange::on_body_timeout() {
  end({.code = Code::kDeadlineExceeded, .message = "the stream was open for too long"});
}

void ReflectionExchange::end(const Status& status) {
  Responder* responder = std::exchange(responder_, nullptr);
  if (responder == nullptr) return;
  if (open_) {
    responder->close(grpc_trailers(status));
  } else {
    responder->respond(answer_error(media_, status));
  }
}

}  // namespace plimsoll::rpc
