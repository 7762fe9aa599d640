// Carries a guest's calls from the guest channel to the run's broker, and the answers back.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "broker/broker.h"
#include "guest/host_calls.h"

namespace plimsoll {

// Of one run; used by the thread that serves its guest. The broker outlives it.
class BrokeredCalls final : public guest::HostCalls {
 public:
  explicit BrokeredCalls(Broker& broker) noexcept : broker_(&broker) {}

  void begin(const guest::HostCall& call) override;
  [[nodiscard]] int ready_fd() const noexcept override { return broker_->fd(); }
  [[nodiscard]] std::optional<guest::HostAnswer> next_answer() override;

 private:
  Broker* broker_;
  // The guest's numbers may repeat, whatever they should do; the broker gets ours.
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, std::uint32_t> under_way_;
  std::deque<BrokerCompletion> ended_;
};

}  // namespace plimsoll
