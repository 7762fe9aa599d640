#include "rpc/http1_session.h"

#include <algorithm>
#include <utility>

#include "rpc/error_text.h"
#include "rpc/http1_text.h"

namespace plimsoll::rpc {

namespace {

// How much is read ahead of a request that waits for its answer (pipelining).
constexpr std::size_t kMaxReadAhead = std::size_t{64} << 10;
// How much of an unwanted body is read, so that the connection can be kept.
constexpr std::size_t kMaxDiscard = std::size_t{64} << 10;

}  // namespace

Http1Session::Http1Session(const Limits& limits, Wire& wire, ExchangeFactory& factory)
    : limits_(limits), wire_(wire), factory_(factory), phase_since_(wire.now()) {}

void Http1Session::enter(Phase phase) {
  phase_ = phase;
  phase_since_ = wire_.now();
}

bool Http1Session::wants_bytes() const noexcept {
  if (phase_ == Phase::kEnding) return false;
  return phase_ != Phase::kWaiting || pending_.size() < kMaxReadAhead;
}

void Http1Session::on_bytes(std::string_view bytes) {
  if (phase_ == Phase::kEnding) return;
  if (pending_.empty()) {
    const std::size_t consumed = advance(bytes);
    if (phase_ != Phase::kEnding) pending_.assign(bytes.substr(consumed));
  } else {
    pending_ += bytes;
    pending_.erase(0, advance(pending_));
  }
  if (pending_.empty()) pending_ = {};  // an idle connection holds no buffer
}

std::size_t Http1Session::advance(std::string_view bytes) {
  advancing_ = true;
  std::size_t consumed = 0;
  stalled_ = false;
  while (!stalled_ && phase_ != Phase::kWaiting && phase_ != Phase::kEnding) {
    const std::string_view rest = bytes.substr(consumed);
    const bool in_head = phase_ == Phase::kIdle || phase_ == Phase::kHead;
    if (in_head && rest.empty()) break;
    consumed += in_head ? advance_head(rest) : advance_body(rest);
  }
  advancing_ = false;
  return phase_ == Phase::kEnding ? bytes.size() : consumed;
}

std::size_t Http1Session::advance_head(std::string_view bytes) {
  if (!parser_) {
    // An empty line before a request is ignored (RFC 9112 section 2.2).
    if (bytes.starts_with("\r\n")) return 2;
    if (phase_ == Phase::kIdle) enter(Phase::kHead);
    if (bytes == "\r") {
      stalled_ = true;
      return 0;
    }
  }
  if (!parser_) parser_ = std::make_unique<Http1Parser>(limits_);
  const Http1Parser::Step step = parser_->step(bytes);
  switch (step.state) {
    case Http1Parser::State::kHead:
      start_exchange();
      return step.consumed;
    case Http1Parser::State::kBad:
      refuse(parser_->error_status(), Code::kInvalidArgument, "not a valid HTTP/1.1 request");
      return 0;
    default:
      stalled_ = true;
      return 0;
  }
}

void Http1Session::start_exchange() {
  keep_alive_ = parser_->keep_alive() && !factory_.draining();
  is_head_request_ = parser_->head().method == "HEAD";
  answered_ = false;
  discarded_ = 0;
  announced_ = parser_->head().content_length;
  const bool has_body = parser_->has_body();
  const bool waits = has_body && parser_->expects_continue();
  enter(Phase::kBody);
  exchange_ = factory_.make(std::move(parser_->head()), *this);
  exchange_->on_start();
  if (!answered_ && waits) wire_.send("HTTP/1.1 100 Continue\r\n\r\n");
  // A client that waits for 100 may send the body or leave it out: what follows is not known.
  if (answered_ && waits && phase_ != Phase::kEnding) {
    wire_.finish();
    enter(Phase::kEnding);
  }
}

std::size_t Http1Session::advance_body(std::string_view bytes) {
  const Http1Parser::Step step = parser_->step(bytes);
  switch (step.state) {
    case Http1Parser::State::kBody:
      if (phase_ == Phase::kDiscard) {
        discarded_ += step.body.size();
        if (discarded_ > kMaxDiscard) {
          wire_.finish();
          enter(Phase::kEnding);
        }
      } else if (!step.body.empty()) {
        exchange_->on_body(step.body);
      }
      return step.consumed;
    case Http1Parser::State::kDone:
      if (phase_ == Phase::kDiscard) {
        end_request();
      } else {
        enter(Phase::kWaiting);
        const std::shared_ptr<Exchange> exchange = exchange_;
        exchange->on_end();
      }
      return step.consumed;
    case Http1Parser::State::kBad:
      if (phase_ != Phase::kDiscard) {
        if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->on_gone();
        refuse(400, Code::kInvalidArgument,
               "the request's body is not framed as HTTP/1.1 wants it");
      } else {
        wire_.finish();
        enter(Phase::kEnding);
      }
      return 0;
    default:
      stalled_ = true;
      return step.consumed;
  }
}

void Http1Session::respond(Response response) {
  answered_ = true;
  const bool whole = phase_ == Phase::kWaiting;
  // A body that is long, or may be, is not read to its end for the sake of the connection. The
  // answer has to say so: a client would send its next request on a connection that is about to
  // end.
  if (!whole && parser_->has_body()) {
    if (!announced_ || *announced_ > kMaxDiscard) keep_alive_ = false;
  }
  if (factory_.draining()) keep_alive_ = false;
  write(response);
  if (!keep_alive_) {
    wire_.finish();
    enter(Phase::kEnding);
  } else if (whole) {
    end_request();
    if (!advancing_ && !pending_.empty()) on_bytes({});
  } else {
    enter(Phase::kDiscard);
  }
}

void Http1Session::end_request() {
  parser_.reset();
  exchange_.reset();
  enter(Phase::kIdle);
}

void Http1Session::write(const Response& response) {
  std::string out =
      http1_head(response, keep_alive_ ? ConnectionFate::kKept : ConnectionFate::kEnds);
  if (!is_head_request_) out += response.body;
  wire_.send(out);
}

void Http1Session::refuse(unsigned status, Code code, std::string_view message) {
  keep_alive_ = false;
  is_head_request_ = false;
  Response response{.status = status};
  response.headers.add("content-type", "application/json");
  response.body = connect_error_json({.code = code, .message = std::string(message)});
  write(response);
  wire_.finish();
  enter(Phase::kEnding);
}

// Streams of messages are for HTTP/2: no route offers one to HTTP/1.1.
void Http1Session::open(Response head) { respond(std::move(head)); }
void Http1Session::send(std::string) {}
void Http1Session::close(Headers) {}

void Http1Session::on_tick() {
  const auto since = wire_.now() - phase_since_;
  switch (phase_) {
    case Phase::kIdle:
      if (since < limits_.idle) return;
      wire_.finish();
      enter(Phase::kEnding);
      return;
    case Phase::kHead:
      if (since >= limits_.header_read) {
        refuse(408, Code::kDeadlineExceeded, "the request's head did not arrive in time");
      }
      return;
    case Phase::kBody: {
      if (since < limits_.body_read) return;
      keep_alive_ = false;
      const std::shared_ptr<Exchange> exchange = exchange_;
      exchange->on_body_timeout();
      return;
    }
    case Phase::kDiscard:
      if (since < limits_.body_read) return;
      wire_.finish();
      enter(Phase::kEnding);
      return;
    case Phase::kWaiting:
    case Phase::kEnding:
      return;
  }
}

void Http1Session::on_drain() {
  if (phase_ == Phase::kIdle) {
    wire_.finish();
    enter(Phase::kEnding);
  }
}

void Http1Session::on_closed() {
  phase_ = Phase::kEnding;
  if (const auto exchange = std::exchange(exchange_, nullptr); exchange && !answered_) {
    exchange->on_gone();
  }
}

}  // namespace plimsoll::rpc
