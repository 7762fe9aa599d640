#include "providers/microvm/vmm_program.h"

#include <chrono>

#include "providers/microvm/machine_evidence.h"

extern "C" {
extern const std::uint8_t plimsoll_vmm_begin[];
extern const std::uint8_t plimsoll_vmm_end[];
extern const char plimsoll_vmm_sha256[];
extern const char plimsoll_vmm_sha256_end[];
}

namespace plimsoll::microvm {

const jailed::WorkerProgram& vmm_program() noexcept {
  constexpr std::size_t kHexDigits = 64;
  const bool built = plimsoll_vmm_sha256_end - plimsoll_vmm_sha256 >= std::ptrdiff_t{kHexDigits};
  static const jailed::WorkerProgram kProgram{
      .name = "plimsoll-vmm",
      .path_field = "vmm_path",
      .elf = {plimsoll_vmm_begin, plimsoll_vmm_end},
      .sha256 = {plimsoll_vmm_sha256, built ? kHexDigits : 0},
      .measure = measure_machine,
      // Under nested PVM it takes 0.6, where all of it was written.
      .undo_per_mib = std::chrono::milliseconds(1)};
  return kProgram;
}

}  // namespace plimsoll::microvm
