#include "providers/wasm/wasm_provider.h"

#include "providers/jailed/worker_provider.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll {

std::unique_ptr<Provider> make_wasm_provider(const WasmConfig& config) {
  return jailed::make_worker_provider(wasm::worker_program(),
                                      {.id = "wasm",
                                       .environment = "quickjs-wasm",
                                       .pool_name = "worker",
                                       .max_timeout = kMaxWasmTimeout,
                                       .pool = config.pool,
                                       .max_concurrent = config.max_concurrent,
                                       .reuse = config.reuse,
                                       .memory_mb = config.memory_mb,
                                       .output_cap_bytes = config.output_cap_bytes,
                                       .program_path = config.worker_path});
}

}  // namespace plimsoll
