// For tests and fuzzers: a wire that remembers what was sent, and exchanges that answer with what
// they got.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rpc/exchange.h"
#include "rpc/session.h"

namespace plimsoll::rpc {

class FakeWire final : public Wire {
 public:
  void send(std::string_view bytes) override { sent += bytes; }
  [[nodiscard]] std::size_t unsent() const noexcept override { return 0; }
  void finish() override { finished = true; }
  [[nodiscard]] SteadyTime now() const noexcept override { return time; }

  std::string sent;
  bool finished = false;
  SteadyTime time{std::chrono::hours(1)};
};

// What a FakeFactory's exchanges saw.
struct FakeRequest {
  RequestHead head;
  std::string body;
  bool ended = false;
  bool timed_out = false;
  bool gone = false;
};

// Answers when the request has ended: 200 and the body. "/early": 403 at the head. "/never": not at
// all.
class FakeFactory final : public ExchangeFactory {
 public:
  [[nodiscard]] std::shared_ptr<Exchange> make(RequestHead head, Responder& responder) override {
    requests.push_back(std::make_shared<FakeRequest>(FakeRequest{.head = std::move(head)}));
    return std::make_shared<Fake>(requests.back(), responder);
  }
  [[nodiscard]] bool draining() const noexcept override { return is_draining; }

  std::vector<std::shared_ptr<FakeRequest>> requests;
  bool is_draining = false;

 private:
  class Fake final : public Exchange {
   public:
    Fake(std::shared_ptr<FakeRequest> request, Responder& responder)
        : request_(std::move(request)), responder_(&responder) {}
    void on_start() override {
      if (request_->head.path == "/early") answer({.status = 403, .body = "no"});
    }
    void on_body(std::string_view bytes) override { request_->body += bytes; }
    void on_end() override {
      request_->ended = true;
      if (request_->head.path != "/never") answer({.body = request_->body});
    }
    void on_body_timeout() override {
      request_->timed_out = true;
      answer({.status = 408});
    }
    void on_gone() override {
      request_->gone = true;
      responder_ = nullptr;
    }

   private:
    void answer(Response response) {
      if (Responder* responder = std::exchange(responder_, nullptr)) {
        responder->respond(std::move(response));
      }
    }
    std::shared_ptr<FakeRequest> request_;
    Responder* responder_;
  };
};

}  // namespace plimsoll::rpc
