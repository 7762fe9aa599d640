// A request for an endpoint, or for a path where there is nothing.
#pragma once

#include <memory>
#include <string_view>

#include "rpc/call_plan.h"
#include "rpc/core.h"
#include "rpc/exchange.h"

namespace plimsoll::rpc {

// GET or HEAD of an endpoint. `endpoint` is null where there is nothing: 404. The body is not
// wanted.
class PlainExchange final : public Exchange, public std::enable_shared_from_this<PlainExchange> {
 public:
  PlainExchange(ServerCore& core, Loop& loop, KeptEndpoint* endpoint, const RequestHead& head,
                Responder& responder);

  void on_start() override;
  void on_body(std::string_view) override {}
  void on_end() override {}
  void on_body_timeout() override {}
  void on_gone() override { responder_ = nullptr; }

 private:
  void answer(Response response);

  ServerCore& core_;
  Loop& loop_;
  KeptEndpoint* const endpoint_;
  const Media media_;
  const bool readable_;  // GET or HEAD
  Responder* responder_;
};

}  // namespace plimsoll::rpc
