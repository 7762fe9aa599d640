#include "providers/wasm/worker_evidence.h"

#include <utility>

#include "providers/jailed/failure.h"
#include "providers/jailed/process_facts.h"

namespace plimsoll::wasm {

Result<IsolationEvidence> measure_worker(int pidfd) {
  jailed::Facts facts;
  const auto process = jailed::measure_process(pidfd, "worker.", facts);
  if (!process) return std::unexpected(process.error());
  // Only now is it sure that all of this was about one process.
  if (!jailed::still_alive(pidfd)) {
    return jailed::not_ready("the worker ended while it was measured");
  }
  facts.evidence.tier = process->jailed ? Isolation::kProcess : Isolation::kNone;
  return std::move(facts.evidence);
}

}  // namespace plimsoll::wasm
