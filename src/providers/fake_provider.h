// A provider for tests: it answers what it was told to, and counts what it was asked.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "providers/provider.h"

namespace plimsoll {

// The settings may be changed between calls, not during them; calls may come from any thread.
class FakeProvider final : public Provider {
 public:
  Isolation tier = Isolation::kProcess;
  std::optional<Error> ready_error;
  std::optional<Error> evidence_error;
  std::optional<Error> run_error;
  std::atomic<Broker*> last_broker{nullptr};
  std::atomic<int> runs{0};
  std::atomic<int> ready_calls{0};
  std::atomic<int> evidence_calls{0};

  [[nodiscard]] std::string_view id() const noexcept override { return "fake"; }
  [[nodiscard]] ProviderInfo info() const override {
    return {.runs_javascript = true,
            .javascript_grants = true,
            .environment = "fake:sha256:00",
            .software_identity = "fake:sha256:00"};
  }
  [[nodiscard]] ProviderLimits limits() const noexcept override {
    return {.max_timeout = kMaxWasmTimeout};
  }
  [[nodiscard]] Result<void> ensure_ready() override {
    ++ready_calls;
    if (ready_error) return std::unexpected(*ready_error);
    return {};
  }
  [[nodiscard]] Result<IsolationEvidence> current_evidence() override {
    ++evidence_calls;
    if (evidence_error) return std::unexpected(*evidence_error);
    return IsolationEvidence{.tier = tier, .facts = {}};
  }
  // The outcome echoes the code on stdout.
  [[nodiscard]] Result<Outcome> run(const ClearedRun& run, Broker* broker,
                                    std::stop_token) override {
    ++runs;
    last_broker = broker;
    if (run_error) return std::unexpected(*run_error);
    Outcome outcome;
    outcome.stdout_bytes = run.request().code;
    outcome.duration = run.timeout();
    outcome.provider = "fake";
    outcome.evidence = {.tier = tier, .facts = {}};
    return outcome;
  }
};

}  // namespace plimsoll
