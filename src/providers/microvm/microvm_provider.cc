#include "providers/microvm/microvm_provider.h"

#include "providers/jailed/worker_provider.h"
#include "providers/microvm/vmm_program.h"

namespace plimsoll {

std::unique_ptr<Provider> make_microvm_provider(const MicrovmConfig& config) {
  return jailed::make_worker_provider(microvm::vmm_program(),
                                      {.id = "microvm",
                                       .environment = "quickjs-microvm",
                                       .pool_name = "machine",
                                       .max_timeout = kMaxMicrovmTimeout,
                                       .pool = config.pool,
                                       .max_concurrent = config.max_concurrent,
                                       .reuse = config.reuse,
                                       .memory_mb = config.memory_mb,
                                       .output_cap_bytes = config.output_cap_bytes,
                                       .program_path = config.vmm_path});
}

}  // namespace plimsoll
