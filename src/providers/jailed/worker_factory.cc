#include "providers/jailed/worker_factory.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

#include "providers/jailed/failure.h"
#include "providers/jailed/program_file.h"

namespace plimsoll::jailed {

namespace {

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<void> WorkerFactory::start_zygote() {
  zygote_.reset();
  if (!elf_) {
    auto elf = open_program(program_, path_);
    if (!elf) return std::unexpected(std::move(elf).error());
    elf_ = std::move(*elf);
  }
  auto zygote = ZygoteProcess::start(program_, elf_.get(), memory_mb_);
  if (!zygote) return std::unexpected(std::move(zygote).error());
  zygote_.emplace(std::move(*zygote));
  ++generation_;
  return {};
}

Result<WorkerHandle> WorkerFactory::spawn() {
  if (zygote_) {
    auto handle = zygote_->spawn();
    if (handle) handle->generation = generation_;
    // A new zygote would be the end of all workers of this one.
    if (handle || zygote_->is_sound()) return handle;
  }
  if (auto started = start_zygote(); !started) return std::unexpected(std::move(started).error());
  auto handle = zygote_->spawn();
  if (handle) {
    handle->generation = generation_;
  } else {
    zygote_.reset();
  }
  return handle;
}

Result<WorkerProcess> WorkerFactory::make() {
  Result<WorkerHandle> handle = [this] {
    const std::lock_guard lock(mutex_);
    return spawn();
  }();
  if (!handle) return std::unexpected(std::move(handle).error());
  return WorkerProcess::adopt(
      std::move(*handle), program_,
      {.program = elf_.get(), .sha256 = path_.empty() ? program_.sha256 : std::string_view()});
}

std::string WorkerFactory::bury(WorkerProcess worker) {
  const pid_t pid = worker.zygote_pid();
  const unsigned generation = worker.generation();
  worker.kill();
  const std::lock_guard lock(mutex_);
  if (!zygote_ || generation != generation_) return "unknown";
  const auto status = zygote_->reap(pid);
  return status ? describe(*status) : "unknown";
}

}  // namespace plimsoll::jailed
