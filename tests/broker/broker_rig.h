// A broker in a test: submits calls and waits for their answers.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "broker/broker.h"
#include "plimsoll/grant.h"

namespace plimsoll {

// Long enough for a loaded machine; a test that waits this long has failed.
inline constexpr std::chrono::seconds kPatience{60};

// A minter with this token, for everybody.
inline std::shared_ptr<const TokenMinter> token(std::string_view text) {
  auto minter = static_token(Secret(text));
  EXPECT_TRUE(minter) << minter.error().message;
  return minter ? *minter : nullptr;
}

inline Grant grant_of(GrantConfig config) {
  auto grant = Grant::build(std::move(config));
  EXPECT_TRUE(grant) << grant.error().message;
  return std::move(*grant);
}

class BrokerRig {
 public:
  explicit BrokerRig(const Grant& grant, std::chrono::milliseconds deadline = kPatience)
      : BrokerRig(grant, clock_, deadline) {}
  BrokerRig(const Grant& grant, const Clock& clock,
            std::chrono::milliseconds deadline = kPatience) {
    auto broker = open_broker(grant, {.caller = "ann", .deadline = clock.now() + deadline}, clock);
    EXPECT_TRUE(broker) << broker.error().message;
    if (broker) broker_ = std::move(*broker);
  }
  explicit BrokerRig(std::unique_ptr<Broker> broker) : broker_(std::move(broker)) {}

  std::uint64_t submit(std::string method, std::string target,
                       std::optional<std::string> body = std::nullopt) {
    broker_->submit(
        next_id_,
        {.method = std::move(method), .target = std::move(target), .body = std::move(body)});
    return next_id_++;
  }

  // The answer to one call, whenever it comes.
  BrokerReply wait(std::uint64_t id) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!answers_.contains(id)) {
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "call " << id << " is not answered";
        return {};
      }
      turn(std::chrono::milliseconds(100));
    }
    return std::move(answers_.extract(id).mapped());
  }

  BrokerReply call(std::string method, std::string target,
                   std::optional<std::string> body = std::nullopt) {
    return wait(submit(std::move(method), std::move(target), std::move(body)));
  }

  // Waits at most this long for something to happen, and takes it.
  void turn(std::chrono::milliseconds most) {
    pollfd ready{.fd = broker_->fd(), .events = POLLIN, .revents = 0};
    (void)::poll(&ready, 1, static_cast<int>(most.count()));
    for (auto& [id, reply] : broker_->take()) answers_[id] = std::move(reply);
  }

  [[nodiscard]] bool answered(std::uint64_t id) const { return answers_.contains(id); }
  [[nodiscard]] const CallTrace& trace() const { return broker_->trace(); }
  [[nodiscard]] Broker& broker() { return *broker_; }

 private:
  SystemClock clock_;
  std::unique_ptr<Broker> broker_;
  std::uint64_t next_id_ = 7;
  std::map<std::uint64_t, BrokerReply> answers_;
};

}  // namespace plimsoll
