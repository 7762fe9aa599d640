// A stream of reflection requests and answers, over gRPC.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/call_plan.h"
#include "rpc/core.h"
#include "rpc/exchange.h"

namespace plimsoll::rpc {

// The one stream that is served: answers each message as it comes, on the connection's thread. At
// most kMaxQuestions of at most kMaxQuestionBytes, also after inflation; callers only.
class ReflectionExchange final : public Exchange {
 public:
  static constexpr std::size_t kMaxQuestions = 256;
  static constexpr std::size_t kMaxQuestionBytes = 4096;

  // `core` and `routes` outlive it.
  ReflectionExchange(ServerCore& core, const Routes& routes, std::shared_ptr<const Peer> peer,
                     RequestHead head, Responder& responder);

  // Whether the request is gRPC at all.
  [[nodiscard]] static bool takes(const RequestHead& head) noexcept;

  void on_start() override;
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_body_timeout() override;
  void on_gone() override { responder_ = nullptr; }

 private:
  // What a compressed question holds; nullopt: it is no gzip, or of more than kMaxQuestionBytes.
  [[nodiscard]] std::optional<std::string> inflated(std::string_view payload) const;
  void end(const Status& status);

  ServerCore& core_;
  const Routes& routes_;
  const std::shared_ptr<const Peer> peer_;
  const RequestHead head_;
  const Media media_;
  Responder* responder_;
  std::string pending_;
  std::size_t questions_ = 0;
  bool open_ = false;
};

}  // namespace plimsoll::rpc
