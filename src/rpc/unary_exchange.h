// A unary call, from its head to its answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/call_plan.h"
#include "rpc/core.h"
#include "rpc/exchange.h"

namespace plimsoll::rpc {

// In this order: verb, caller, what the head asks for, body, decode, handler. The caller is known
// before a byte of the body is kept. Inflating, decoding, the handler and encoding share one trip
// to a worker.
class UnaryExchange final : public Exchange, public std::enable_shared_from_this<UnaryExchange> {
 public:
  // Everything outlives the exchange.
  UnaryExchange(ServerCore& core, Loop& loop, std::shared_ptr<const Peer> peer,
                const Method& method, RequestHead head, Responder& responder);
  ~UnaryExchange() override;

  void on_start() override;
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_body_timeout() override;
  void on_gone() override;

 private:
  struct Call;

  void refuse(Refusal why, Status status);
  void dispatch();
  void answer(Response response);
  void on_deadline();
  void on_no_worker();
  void fail(const Status& status);

  ServerCore& core_;
  Loop& loop_;
  const std::shared_ptr<const Peer> peer_;
  const Method& method_;
  RequestHead head_;
  Responder* responder_;  // null once answered or gone
  const SteadyTime arrived_;
  Media media_;
  std::shared_ptr<const Principal> principal_;
  CallPlan plan_;
  std::string body_;
  BodyBudget::Permit permit_;
  std::shared_ptr<Call> call_;  // once dispatched; shared with the worker
  std::unique_ptr<Loop::Timer> deadline_timer_;
};

// Runs a method's handler on a decoded call; what it throws becomes `internal`. For tests and
// inline use.
[[nodiscard]] Status call_handler(const Method& method, const CallContext& context,
                                  const google::protobuf::Message& request,
                                  google::protobuf::Message& response);

}  // namespace plimsoll::rpc
