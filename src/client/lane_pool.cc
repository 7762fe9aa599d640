#include "client/lane_pool.h"

#include <new>
#include <utility>

namespace plimsoll::client {
namespace {

// Once for the process; libcurl's own is thread-safe. It is never cleaned up: another user of
// libcurl in this process may need it longer.
void initialise_libcurl() {
  static const bool kDone = ::curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (!kDone) throw std::bad_alloc();
}

}  // namespace

LanePool::LanePool(const CheckedConfig& config)
    : settings_(LaneSettings::make(config)), max_idle_(config.settings().max_idle_connections) {
  initialise_libcurl();
}

HttpResult LanePool::post(const HttpCall& call) {
  std::unique_ptr<Lane> lane = take();
  HttpResult result = lane->post(call);
  if (lane->stale()) {
    lane = std::make_unique<Lane>(settings_);
    result = lane->post(call);
  }
  if (lane->reusable()) give_back(std::move(lane));
  return result;
}

std::unique_ptr<Lane> LanePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  return std::make_unique<Lane>(settings_);
}

void LanePool::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < max_idle_) idle_.push_back(std::move(lane));
}

}  // namespace plimsoll::client
