// Connections that are kept between calls, for as many threads as come.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "client/http_exchange.h"
#include "client/lane.h"

namespace plimsoll::client {

// Each call takes the lane that was used last, or a new one, and gives it back; what is beyond
// max_idle_connections is closed then, as is a lane whose call ended early. Thread-safe.
class LanePool final : public HttpExchange {
 public:
  explicit LanePool(const CheckedConfig& config);

  [[nodiscard]] HttpResult post(const HttpCall& call) override;

 private:
  std::unique_ptr<Lane> take();
  void give_back(std::unique_ptr<Lane> lane);

  std::shared_ptr<const LaneSettings> settings_;
  std::size_t max_idle_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  // the one that was used last at the end
};

}  // namespace plimsoll::client
