// Where workers come from: one zygote, started when needed and started again when it was lost.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "plimsoll/result.h"
#include "providers/jailed/worker_process.h"
#include "providers/jailed/zygote_process.h"

namespace plimsoll::jailed {

// Thread-safe.
class WorkerFactory {
 public:
  // `program` outlives this. `path` empty: the embedded copy of it.
  WorkerFactory(const WorkerProgram& program, std::string path, unsigned memory_mb)
      : program_(program), path_(std::move(path)), memory_mb_(memory_mb) {}

  // A new, jailed and measured worker. When the zygote is gone, a new one is started, once a call.
  // Errors: kNotReady.
  [[nodiscard]] Result<WorkerProcess> make();

  // Kills the worker and says how it died, for a message: "signal 9 (Killed)", "exit status 1", or
  // "unknown" when the zygote is gone too.
  [[nodiscard]] std::string bury(WorkerProcess worker);

 private:
  // Both with the mutex held.
  [[nodiscard]] Result<WorkerHandle> spawn();
  [[nodiscard]] Result<void> start_zygote();

  const WorkerProgram& program_;
  const std::string path_;
  const unsigned memory_mb_;
  std::mutex mutex_;
  UniqueFd elf_;
  std::optional<ZygoteProcess> zygote_;
  unsigned generation_ = 0;  // of the zygote; a worker of an older one cannot be reaped
};

}  // namespace plimsoll::jailed
