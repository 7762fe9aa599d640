// What must hold between the settings. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/daemon_config.h"
#include "plimsoll/evidence.h"

namespace plimsoll {

// One sentence for each rule that is broken; empty: none is. Among them: authentication fails
// closed, and a dimension that the provider does not enforce is an error.
[[nodiscard]] std::vector<std::string> broken_rules(const DaemonConfig& config,
                                                    std::span<const ProviderChoice> built);

// PLIMSOLL_HARDENED=1: one sentence for each part of the production policy that is violated, all at
// once. `evidence` is the provider's after its smoke test; its tier counts, not what was
// configured.
[[nodiscard]] std::vector<std::string> hardened_violations(const DaemonConfig& config,
                                                           const IsolationEvidence& evidence);

// "name@sha256:<64 lower-case hex digits>": the only name of an image that does not change its
// meaning.
[[nodiscard]] bool is_pinned_image(std::string_view image) noexcept;

}  // namespace plimsoll
