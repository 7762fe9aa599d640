#include "sandbox/config_check.h"

#include <fmt/format.h>

#include <string_view>

#include "core/mistakes.h"
#include "providers/docker/endpoint.h"

namespace plimsoll {
namespace {

template <class Number>
void check_range(std::string_view name, Number value, Number least, Number most,
                 std::string_view note, Mistakes& mistakes) {
  if (value >= least && value <= most) return;
  mistakes.add(fmt::format("{} is {}; {} to {} are accepted{}", name, value, least, most, note));
}

// The settings that wasm and microvm share.
template <class Config>
void check_workers(std::string_view name, const Config& config, std::string_view path_name,
                   const std::string& path, Mistakes& mistakes) {
  const auto field = [name](std::string_view of) { return fmt::format("{}.{}", name, of); };
  check_range(field("pool"), config.pool, 0U, kMaxWasmPool, " (0: one per processor)", mistakes);
  check_range(field("max_concurrent"), config.max_concurrent, 1U, kMaxWasmConcurrent, "", mistakes);
  if (config.reuse != WorkerReuse::kNever && config.reuse != WorkerReuse::kCaller) {
    mistakes.add(fmt::format("{}.reuse is {}; kNever (0) and kCaller (1) are accepted", name,
                             static_cast<unsigned>(config.reuse)));
  }
  check_range(field("memory_mb"), config.memory_mb, kMinWasmMemoryMb, kMaxWasmMemoryMb, " (MiB)",
              mistakes);
  check_range(field("output_cap_bytes"), config.output_cap_bytes, std::size_t{1},
              kMaxOutputCapBytes, "", mistakes);
  if (path.find('\0') != std::string::npos) {
    mistakes.add(fmt::format("{}.{} holds a NUL byte; a path of a file, or nothing, is accepted",
                             name, path_name));
  }
}

void check_docker_names(const DockerConfig& docker, Mistakes& mistakes) {
  if (auto endpoint = docker::parse_endpoint(docker.host, docker.certs); !endpoint) {
    mistakes.add(endpoint.error().message);
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (docker.image.empty() || has_nul(docker.image) || has_nul(docker.project_image)) {
    mistakes.add("docker.image is empty, or an image's name holds a NUL byte");
  }
  if (has_nul(docker.runtime) || has_nul(docker.certs)) {
    mistakes.add("docker.runtime or docker.certs holds a NUL byte");
  }
  if (!docker.seccomp.empty() && docker.seccomp != "unconfined" &&
      (docker.seccomp.front() != '/' || has_nul(docker.seccomp))) {
    mistakes.add("docker.seccomp is neither an absolute path nor unconfined");
  }
  if (docker.pinning != ImagePinning::kOptional && docker.pinning != ImagePinning::kRequired) {
    mistakes.add(fmt::format("docker.pinning is {}; kOptional (0) and kRequired (1) are accepted",
                             static_cast<unsigned>(docker.pinning)));
  }
}

void check_docker(const DockerConfig& docker, Mistakes& mistakes) {
  check_docker_names(docker, mistakes);
  check_range("docker.pool", docker.pool, 0U, kMaxDockerPool, "", mistakes);
  check_range("docker.max_concurrent", docker.max_concurrent, 1U, kMaxDockerConcurrent, "",
              mistakes);
  check_range("docker.memory_mb", docker.memory_mb, kMinDockerMemoryMb, kMaxDockerMemoryMb,
              " (MiB)", mistakes);
  check_range("docker.cpus", docker.cpus, kMinDockerCpus, kMaxDockerCpus, "", mistakes);
  check_range("docker.pids", docker.pids, kMinDockerPids, kMaxDockerPids, "", mistakes);
  check_range("docker.disk_mb", docker.disk_mb, kMinDockerDiskMb, kMaxDockerDiskMb, " (MiB)",
              mistakes);
  check_range("docker.output_cap_bytes", docker.output_cap_bytes, std::size_t{1},
              kMaxOutputCapBytes, "", mistakes);
}

}  // namespace

Result<void> check_config(const SandboxConfig& config) {
  Mistakes mistakes;
  if (config.provider > ProviderKind::kMicrovm) {
    mistakes.add(fmt::format(
        "provider is {}; kDisabled (0), kWasm (1), kDocker (2) and kMicrovm (3) are accepted",
        static_cast<unsigned>(config.provider)));
  }
  if (config.minimum_isolation == Isolation::kUnknown ||
      config.minimum_isolation > Isolation::kVm) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  if (config.provider == ProviderKind::kWasm) {
    check_workers("wasm", config.wasm, "worker_path", config.wasm.worker_path, mistakes);
  }
  if (config.provider == ProviderKind::kMicrovm) {
    check_workers("microvm", config.microvm, "vmm_path", config.microvm.vmm_path, mistakes);
  }
  if (config.provider == ProviderKind::kDocker) check_docker(config.docker, mistakes);
  if (mistakes.none()) return {};
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

}  // namespace plimsoll
