#include "rpc/plain_exchange.h"

#include <exception>
#include <utility>

#include "rpc/answer.h"

namespace plimsoll::rpc {

namespace {

Response render(const PlainAnswer& plain) {
  Response response{.status = plain.status, .body = plain.body};
  response.headers.add("content-type", plain.content_type);
  response.headers.add("cache-control", "no-store");
  return response;
}

Response ask(KeptEndpoint& endpoint) {
  try {
    return render(endpoint.answer());
  } catch (const std::exception&) {
    return render({.status = 500, .body = "the endpoint failed\n"});
  }
}

}  // namespace

PlainExchange::PlainExchange(ServerCore& core, Loop& loop, KeptEndpoint* endpoint,
                             const RequestHead& head, Responder& responder)
    : core_(core),
      loop_(loop),
      endpoint_(endpoint),
      media_(answer_media(head)),
      readable_(head.method == "GET" || head.method == "HEAD"),
      responder_(&responder) {}

void PlainExchange::on_start() {
  if (endpoint_ == nullptr) {
    answer(answer_error(media_, {.code = Code::kUnimplemented,
                                 .message = "nothing is served at this path",
                                 .http_override = 404}));
    return;
  }
  if (!readable_) {
    answer(answer_error(media_, {.code = Code::kUnimplemented,
                                 .message = "read by GET or HEAD only",
                                 .http_override = 405,
                                 .allow = "GET, HEAD"}));
    return;
  }
  if (endpoint_->runs() == Runs::kInline) {
    answer(ask(*endpoint_));
    return;
  }
  const bool taken =
      core_.aside.submit([endpoint = endpoint_, weak = weak_from_this(), &loop = loop_]() mutable {
        loop.enter([weak = std::move(weak), response = ask(*endpoint)]() mutable {
          if (const auto exchange = weak.lock()) exchange->answer(std::move(response));
        });
      });
  if (!taken) answer(render({.status = 503, .body = "too many requests wait for this\n"}));
}

void PlainExchange::answer(Response response) {
  if (Responder* responder = std::exchange(responder_, nullptr)) {
    responder->respond(std::move(response));
  }
}

}  // namespace plimsoll::rpc
