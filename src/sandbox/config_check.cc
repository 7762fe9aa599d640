#include "sandbox/config_check.h"

#include <fmt/format.h>

#include <string_view>

#include "core/mistakes.h"

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

}  // namespace

Result<void> check_config(const SandboxConfig& config) {
  Mistakes mistakes;
  if (config.provider > ProviderKind::kMicrovm) {
    mistakes.add(
        fmt::format("provider is {}; kDisabled (0), kWasm (1) and kMicrovm (2) are accepted",
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
  if (mistakes.none()) return {};
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

}  // namespace plimsoll
