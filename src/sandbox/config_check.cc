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

}  // namespace

Result<void> check_config(const SandboxConfig& config) {
  Mistakes mistakes;
  if (config.provider != ProviderKind::kDisabled && config.provider != ProviderKind::kWasm) {
    mistakes.add(fmt::format("provider is {}; kDisabled (0) and kWasm (1) are accepted",
                             static_cast<unsigned>(config.provider)));
  }
  if (config.minimum_isolation == Isolation::kUnknown ||
      config.minimum_isolation > Isolation::kVm) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  if (config.provider == ProviderKind::kWasm) check_wasm(config.wasm, mistakes);
  if (mistakes.none()) return {};
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

}  // namespace plimsoll
