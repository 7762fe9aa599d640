// What a service says that it serves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/evidence.h"
#include "plimsoll/request.h"

namespace plimsoll {

// What one kind of run executes in. Every field is the service's word.
struct PayloadEnvironment {
  std::string identity{};           // a content address, e.g. "quickjs-wasm:sha256:..."
  Millis max_timeout{0};            // the ceiling of a run's timeout
  std::string software_identity{};  // empty: not stated
  std::vector<std::string> languages{};
};

// What one run may use; zero: not stated.
struct RunResources {
  std::uint32_t memory_mb = 0;
  double cpus = 0;
  std::uint32_t pids = 0;
  std::uint32_t disk_mb = 0;
};

// The answer to Client::describe(). The evidence is of that moment; what counts for a run is the
// evidence that comes with its own outcome.
struct Description {
  std::string sandbox{};         // the provider's id, e.g. "wasm"
  IsolationEvidence evidence{};  // its tier is the one that the service states
  std::uint32_t protocol = 0;    // equal to the one that the client speaks
  std::string policy{};          // the service's policy, by name; empty: none

  // Empty: the service does not run that kind.
  std::optional<PayloadEnvironment> javascript{};
  std::optional<PayloadEnvironment> project{};
  std::optional<PayloadEnvironment> module{};

  bool supports_project = false;
  bool supports_module = false;
  bool supports_javascript_grants = false;
  bool supports_project_grants = false;
  bool supports_sessions = false;
  Millis session_lifetime{0};
  Millis session_idle_timeout{0};

  RunResources resources{};
};

}  // namespace plimsoll
