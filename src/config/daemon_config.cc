#include "config/daemon_config.h"

#include <algorithm>

namespace plimsoll {

std::string_view to_string(ProviderChoice provider) noexcept {
  switch (provider) {
    case ProviderChoice::kDisabled:
      return "disabled";
    case ProviderChoice::kWasm:
      return "wasm";
    case ProviderChoice::kDocker:
      return "docker";
    case ProviderChoice::kMicrovm:
      return "microvm";
    case ProviderChoice::kE2b:
      return "e2b";
  }
  return "disabled";
}

AuthMode auth_mode(const DaemonConfig& config) noexcept {
  if (!config.clients_file.empty()) return AuthMode::kClientsFile;
  return config.token.empty() ? AuthMode::kInsecure : AuthMode::kSharedToken;
}

const ProviderTraits& traits_of(ProviderChoice provider) noexcept {
  static constexpr ProviderTraits kNothing{};
  static constexpr ProviderTraits kWasm{.memory = true,
                                        .on_host = true,
                                        .memory_mb = 64,
                                        .least_memory_mb = 16,
                                        .most_memory_mb = 1024};
  static constexpr ProviderTraits kDocker{.memory = true,
                                          .cpus = true,
                                          .pids = true,
                                          .disk = true,
                                          .on_host = true,
                                          .memory_mb = 256,
                                          .least_memory_mb = 32,
                                          .most_memory_mb = 1'048'576};
  // The engine is the machine's only program, without processes and without a disk.
  static constexpr ProviderTraits kMicrovm = kWasm;
  switch (provider) {
    case ProviderChoice::kDisabled:
    case ProviderChoice::kE2b:  // its template fixes them
      return kNothing;
    case ProviderChoice::kWasm:
      return kWasm;
    case ProviderChoice::kDocker:
      return kDocker;
    case ProviderChoice::kMicrovm:
      return kMicrovm;
  }
  return kNothing;
}

std::uint32_t memory_mb_per_run(const DaemonConfig& config) noexcept {
  return config.envelope.memory_mb.value_or(traits_of(config.provider).memory_mb);
}

std::uint32_t effective_concurrency(const DaemonConfig& config) noexcept {
  const std::uint32_t most = config.admission.max_concurrent;
  const std::uint32_t per_run = memory_mb_per_run(config);
  if (!config.admission.total_memory_mb || !traits_of(config.provider).on_host || per_run == 0) {
    return most;
  }
  return std::min(most, *config.admission.total_memory_mb / per_run);
}

std::uint32_t effective_per_caller(const DaemonConfig& config) noexcept {
  const std::uint32_t most = std::max(1U, effective_concurrency(config));
  return std::clamp(config.admission.per_key_concurrent.value_or(most / 2), 1U, most);
}

std::uint32_t effective_burst(const DaemonConfig& config) noexcept {
  return config.admission.rate_burst.value_or(std::max(1U, config.admission.rate_per_min));
}

}  // namespace plimsoll
