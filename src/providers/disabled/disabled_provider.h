// The default provider: execution is off until somebody configures it.
#pragma once

#include <string_view>

#include "providers/provider.h"

namespace plimsoll {

// Every call refuses with kDisabled, marked as not dispatched. It has no state.
class DisabledProvider final : public Provider {
 public:
  [[nodiscard]] std::string_view id() const noexcept override { return "disabled"; }
  // A ceiling of zero: no request could be cleared against it.
  [[nodiscard]] ProviderInfo info() const override { return {}; }
  [[nodiscard]] ProviderLimits limits() const noexcept override { return {}; }
  [[nodiscard]] Result<void> ensure_ready() override;
  [[nodiscard]] Result<IsolationEvidence> current_evidence() override;
  [[nodiscard]] Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                    std::stop_token cancel) override;
};

}  // namespace plimsoll
