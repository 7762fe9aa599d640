// The calls of a client, over whatever speaks HTTP.
#pragma once

#include <memory>

#include "base/clock.h"
#include "client/http_exchange.h"
#include "plimsoll/client.h"

namespace plimsoll {

// Client without its configuration: decisions only.
class Client::Calls {
 public:
  Calls(std::unique_ptr<client::HttpExchange> http, Millis slack)
      : http_(std::move(http)), slack_(slack) {}

  [[nodiscard]] ClientResult<RemoteOutcome> run(const RunRequest& request,
                                                const CallOptions& options);
  [[nodiscard]] ClientResult<Description> describe(const CallOptions& options);

 private:
  [[nodiscard]] ClientResult<std::string> answer(const client::HttpCall& call);

  std::unique_ptr<client::HttpExchange> http_;
  Millis slack_;
};

}  // namespace plimsoll
