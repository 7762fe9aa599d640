// What the daemon is told by its environment, parsed. Nothing below main reads the environment:
// this struct is passed down instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/listen_address.h"
#include "plimsoll/isolation.h"

namespace plimsoll {

enum class ProviderChoice : std::uint8_t { kDisabled, kWasm, kDocker, kMicrovm, kE2b };

// "disabled", "wasm", "docker", "microvm", "e2b".
[[nodiscard]] std::string_view to_string(ProviderChoice provider) noexcept;

// Whether what served one run may serve another one.
enum class Reuse : std::uint8_t { kNever, kCaller };

enum class LogChoice : std::uint8_t { kJson, kText };

// A value that no log, message or test output shows. Copied and compared with its configuration, as
// plimsoll::Secret is not.
class SecretSetting {
 public:
  SecretSetting() = default;
  explicit SecretSetting(std::string_view value) : value_(value) {}
  [[nodiscard]] bool empty() const noexcept { return value_.empty(); }
  [[nodiscard]] const std::string& reveal() const noexcept { return value_; }
  friend bool operator==(const SecretSetting&, const SecretSetting&) = default;

 private:
  std::string value_;
};

// What one run may use at most; unset: the provider's default.
struct EnvelopeConfig {
  std::optional<std::uint32_t> memory_mb;
  std::optional<double> cpus;
  std::optional<std::uint32_t> pids;
  std::optional<std::uint32_t> disk_mb;
  friend bool operator==(const EnvelopeConfig&, const EnvelopeConfig&) = default;
};

struct AdmissionConfig {
  std::uint32_t max_concurrent = 8;
  std::optional<std::uint32_t> per_key_concurrent;
  std::uint32_t rate_per_min = 30;  // 0: no limit
  std::optional<std::uint32_t> rate_burst;
  std::optional<std::uint32_t> total_memory_mb;
  friend bool operator==(const AdmissionConfig&, const AdmissionConfig&) = default;
};

// Pools of 0 in wasm and microvm: one for each processor.
struct WasmChoice {
  std::uint32_t pool = 0;
  Reuse reuse = Reuse::kCaller;
  friend bool operator==(const WasmChoice&, const WasmChoice&) = default;
};

struct MicrovmChoice {
  std::uint32_t pool = 0;
  Reuse reuse = Reuse::kCaller;
  friend bool operator==(const MicrovmChoice&, const MicrovmChoice&) = default;
};

struct DockerChoice {
  std::string host = "unix:///var/run/docker.sock";
  std::string certs;  // a folder, for tcp
  std::string image = "node:22-alpine";
  std::string project_image = "plimsoll/sandbox:latest";
  std::string runtime;  // empty: the engine's default
  std::string seccomp;  // a path, "unconfined", or empty: the engine's default
  std::uint32_t pool = 0;
  bool require_pinned = false;
  friend bool operator==(const DockerChoice&, const DockerChoice&) = default;
};

struct E2bChoice {
  SecretSetting api_key;
  std::string template_id;
  std::string guard_url;
  friend bool operator==(const E2bChoice&, const E2bChoice&) = default;
};

struct DaemonConfig {
  ProviderChoice provider = ProviderChoice::kDisabled;
  Isolation minimum_isolation = Isolation::kNone;
  EnvelopeConfig envelope;
  AdmissionConfig admission;
  WasmChoice wasm;
  DockerChoice docker;
  MicrovmChoice microvm;
  E2bChoice e2b;
  ListenAddress listen{.host = "127.0.0.1", .port = 8746, .loopback = true};
  std::optional<ListenAddress> metrics_listen =
      ListenAddress{.host = "127.0.0.1", .port = 9464, .loopback = true};  // empty: off
  LogChoice log_format = LogChoice::kJson;
  std::string clients_file;
  SecretSetting token;
  bool insecure = false;
  std::string tls_cert;  // paths; both or neither
  std::string tls_key;
  std::string grants_file;
  bool hardened = false;
  friend bool operator==(const DaemonConfig&, const DaemonConfig&) = default;
};

// How callers are told apart: the first of these that is configured.
enum class AuthMode : std::uint8_t { kClientsFile, kSharedToken, kInsecure };
[[nodiscard]] AuthMode auth_mode(const DaemonConfig& config) noexcept;

// The envelope's dimensions that the provider enforces. Any other that is set is an error: a limit
// that is stated and not held is worse than none.
struct ProviderTraits {
  bool memory = false;
  bool cpus = false;
  bool pids = false;
  bool disk = false;
  bool on_host = false;               // its runs use this host's memory
  std::uint32_t memory_mb = 0;        // a run's by default
  std::uint32_t least_memory_mb = 0;  // the range of SANDBOX_MEMORY_MB
  std::uint32_t most_memory_mb = 0;
};
[[nodiscard]] const ProviderTraits& traits_of(ProviderChoice provider) noexcept;

// The resolved numbers. Each at least 1 in a configuration that was checked.
[[nodiscard]] std::uint32_t memory_mb_per_run(const DaemonConfig& config) noexcept;
// SANDBOX_MAX_CONCURRENT, clamped to SANDBOX_TOTAL_MEMORY_MB on on-host providers.
[[nodiscard]] std::uint32_t effective_concurrency(const DaemonConfig& config) noexcept;
// Half of that unless it is set, at least 1, at most all.
[[nodiscard]] std::uint32_t effective_per_caller(const DaemonConfig& config) noexcept;
[[nodiscard]] std::uint32_t effective_burst(const DaemonConfig& config) noexcept;

}  // namespace plimsoll
