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

void check_wasm(const WasmConfig& wasm, Mistakes& mistakes) {
  check_range("wasm.pool", wasm.pool, 0U, kMaxWasmPool, " (0: one per processor)", mistakes);
  check_range("wasm.max_concurrent", wasm.max_concurrent, 1U, kMaxWasmConcurrent, "", mistakes);
  if (wasm.reuse != WorkerReuse::kNever && wasm.reuse != WorkerReuse::kCaller) {
    mistakes.add(fmt::format("wasm.reuse is {}; kNever (0) and kCaller (1) are accepted",
                             static_cast<unsigned>(wasm.reuse)));
  }
  check_range("wasm.memory_mb", wasm.memory_mb, kMinWasmMemoryMb, kMaxWasmMemoryMb, " (MiB)",
              mistakes);
  check_range("wasm.output_cap_bytes", wasm.output_cap_bytes, std::size_t{1}, kMaxOutputCapBytes,
              "", mistakes);
  if (wasm.worker_path.find('\0') != std::string::npos) {
    mistakes.add("wasm.worker_path holds a NUL byte; a path of a file, or nothing, is accepted");
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
  if (config.provider > ProviderKind::kDocker) {
    mistakes.add(fmt::format("provider is {}; kDisabled (0), kWasm (1), kDocker (2) are accepted",
                             static_cast<unsigned>(config.provider)));
  }
  if (config.minimum_isolation == Isolation::kUnknown ||
      config.minimum_isolation > Isolation::kVm) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  if (config.provider == ProviderKind::kWasm) check_wasm(config.wasm, mistakes);
  if (config.provider == ProviderKind::kDocker) check_docker(config.docker, mistakes);
  if (mistakes.none()) return {};
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

}  // namespace plimsoll
