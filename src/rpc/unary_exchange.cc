#include "rpc/unary_exchange.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/message.h>

#include <exception>
#include <new>
#include <utility>

#include "rpc/answer.h"

namespace plimsoll::rpc {

namespace {

Status internal_error() {
  return {.code = Code::kInternal, .message = "the service failed; its log says how"};
}

}  // namespace

Status call_handler(const Method& method, const CallContext& context,
                    const google::protobuf::Message& request, google::protobuf::Message& response) {
  try {
    return method.handle(context, request, response);
  } catch (const std::exception&) {
    return internal_error();
  }
}

// What the worker needs. The exchange may be gone before the worker is done.
struct UnaryExchange::Call {
  Call(ServerCore& server, const Method& called)
      : core(server), method(called), entry(core.calls) {}

  ServerCore& core;
  const Method& method;
  CallsInFlight::Entry entry;
  CallContext context;
  CallPlan plan;
  std::string body;
  BodyBudget::Permit permit;

  Response run() {
    google::protobuf::Arena arena;
    google::protobuf::Message* request = method.request->New(&arena);
    Status status = decode(*request);
    permit.release();
    if (!status.ok()) {
      if (core.hooks.refused) {
        core.hooks.refused(Refusal::kRequest, method, *context.peer, context.principal.get(),
                           status);
      }
      return answer_error(plan.media, status);
    }
    google::protobuf::Message* response = method.response->New(&arena);
    status = call_handler(method, context, *request, *response);
    std::string bytes;
    if (status.ok()) {
      status = encode_message(plan.media.codec, *response, core.limits.answer_bytes, bytes);
    }
    if (!status.ok()) return answer_error(plan.media, status);
    return answer_message(plan, std::move(bytes), core.limits.compress_from_bytes);
  }

 private:
  Status decode(google::protobuf::Message& request) {
    auto message = unwrap_message(plan, std::move(body), core.limits);
    body = {};
    if (!message) return std::move(message.error());
    return decode_message(plan.media.codec, *message, request);
  }
};

UnaryExchange::UnaryExchange(ServerCore& core, Loop& loop, std::shared_ptr<const Peer> peer,
                             const Method& method, RequestHead head, Responder& responder)
    : core_(core),
      loop_(loop),
      peer_(std::move(peer)),
      method_(method),
      head_(std::move(head)),
      responder_(&responder),
      arrived_(std::chrono::steady_clock::now()),
      media_(answer_media(head_)),
      permit_(core.budget) {}

UnaryExchange::~UnaryExchange() = default;

void UnaryExchange::on_start() {
  if (Status bad = check_verb(head_, method_); !bad.ok()) {
    refuse(Refusal::kRequest, std::move(bad));
    return;
  }
  if (method_.access == Access::kCallers) {
    if (!core_.hooks.authenticate) {
      refuse(Refusal::kCaller, {.code = Code::kUnauthenticated, .message = "no caller is known"});
      return;
    }
    auto principal = core_.hooks.authenticate(head_, *peer_, method_);
    if (!principal) {
      refuse(Refusal::kCaller, std::move(principal.error()));
      return;
    }
    principal_ = *std::move(principal);
  }
  auto plan = plan_call(head_, core_.limits);
  if (!plan) {
    refuse(Refusal::kRequest, std::move(plan.error()));
    return;
  }
  plan_ = *std::move(plan);
  if (core_.draining.load(std::memory_order_relaxed)) {
    refuse(Refusal::kDraining,
           {.code = Code::kUnavailable, .message = "the server is shutting down"});
    return;
  }
  if (plan_.timeout) {
    deadline_timer_ = loop_.at(arrived_ + *plan_.timeout, [weak = weak_from_this()] {
      if (const auto exchange = weak.lock()) exchange->on_deadline();
    });
  }
  if (!plan_.query_message && head_.content_length) {
    // What is announced is only reserved as it comes: a peer may never send it.
    body_.reserve(std::min<std::size_t>(*head_.content_length, core_.limits.small_body_bytes));
  }
  head_ = {};
}

void UnaryExchange::on_body(std::string_view bytes) {
  if (responder_ == nullptr) return;
  if (bytes.size() > body_limit(plan_.media.protocol, core_.limits) - body_.size()) {
    refuse(Refusal::kRequest, body_too_large(core_.limits));
    return;
  }
  if (!permit_.grow(bytes.size())) {
    refuse(Refusal::kOverloaded, {.code = Code::kUnavailable,
                                  .message = "too many large requests are being read",
                                  .retry_after = std::chrono::seconds(1)});
    return;
  }
  body_ += bytes;
}

void UnaryExchange::on_end() {
  if (responder_ != nullptr) dispatch();
}

void UnaryExchange::on_body_timeout() {
  if (responder_ == nullptr) return;
  refuse(Refusal::kRequest, {.code = Code::kDeadlineExceeded,
                             .message = "the request's body did not arrive in time",
                             .http_override = 408});
}

void UnaryExchange::on_gone() {
  responder_ = nullptr;
  deadline_timer_.reset();
  permit_.release();
  if (call_) call_->entry.stop().request_stop();
}

void UnaryExchange::dispatch() {
  auto call = std::make_shared<Call>(core_, method_);
  call->context = {.peer = peer_,
                   .principal = principal_,
                   .protocol = plan_.media.protocol,
                   .arrived = arrived_,
                   .stop = call->entry.stop().get_token()};
  if (plan_.timeout) call->context.deadline = arrived_ + *plan_.timeout;
  call->plan = std::move(plan_);
  call->body = call->plan.query_message ? *std::move(call->plan.query_message) : std::move(body_);
  call->permit = std::move(permit_);
  if (method_.runs == Runs::kInline) {
    answer(call->run());
    return;
  }
  call_ = call;
  // The worker must not be the last to hold the exchange: it belongs to the loop's thread.
  const bool taken = core_.workers.submit(
      [call = std::move(call), weak = weak_from_this(), &loop = loop_]() mutable {
        Response response;
        try {
          response = call->run();
        } catch (const std::exception&) {
          response = answer_error(call->plan.media, internal_error());
        }
        call.reset();
        loop.post([weak = std::move(weak), response = std::move(response)]() mutable {
          if (const auto exchange = weak.lock()) exchange->answer(std::move(response));
        });
      });
  if (!taken) {
    call_.reset();
    refuse(Refusal::kOverloaded, {.code = Code::kUnavailable,
                                  .message = "too many calls wait for a worker",
                                  .retry_after = std::chrono::seconds(1)});
  }
}

void UnaryExchange::refuse(Refusal why, Status status) {
  if (core_.hooks.refused) core_.hooks.refused(why, method_, *peer_, principal_.get(), status);
  fail(status);
}

void UnaryExchange::fail(const Status& status) { answer(answer_error(media_, status)); }

void UnaryExchange::answer(Response response) {
  deadline_timer_.reset();
  permit_.release();
  body_ = {};
  if (Responder* responder = std::exchange(responder_, nullptr)) {
    responder->respond(std::move(response));
  }
}

void UnaryExchange::on_deadline() {
  const Status status{.code = Code::kDeadlineExceeded, .message = "the client's timeout passed"};
  if (!call_) {
    refuse(Refusal::kRequest, status);
    return;
  }
  call_->entry.stop().request_stop();
  fail(status);
}

}  // namespace plimsoll::rpc
