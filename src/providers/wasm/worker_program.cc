#include "providers/wasm/worker_program.h"

#include <utility>

#include "providers/wasm/worker_evidence.h"

extern "C" {
extern const std::uint8_t plimsoll_worker_begin[];
extern const std::uint8_t plimsoll_worker_end[];
extern const char plimsoll_worker_sha256[];
}

namespace plimsoll::wasm {

namespace {

Result<jailed::Measured> measure(jailed::ReadyProcess process) {
  auto evidence = measure_worker(process.pidfd);
  if (!evidence) return std::unexpected(std::move(evidence).error());
  return jailed::Measured{.evidence = std::move(*evidence)};
}

}  // namespace

const jailed::WorkerProgram& worker_program() noexcept {
  constexpr std::size_t kHexDigits = 64;
  static const jailed::WorkerProgram kProgram{.name = "plimsoll-worker",
                                              .path_field = "worker_path",
                                              .elf = {plimsoll_worker_begin, plimsoll_worker_end},
                                              .sha256 = {plimsoll_worker_sha256, kHexDigits},
                                              .measure = measure};
  return kProgram;
}

}  // namespace plimsoll::wasm
