// The library's handle of one zygote: starts it, asks it for workers, ends it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "guest/zygote_protocol.h"
#include "plimsoll/result.h"
#include "providers/jailed/worker_program.h"

namespace plimsoll::jailed {

// What a new worker is known by.
struct WorkerHandle {
  UniqueFd channel;  // non-blocking stream socket of the guest channel
  UniqueFd pidfd;
  pid_t zygote_pid = 0;     // as the zygote numbers it
  unsigned generation = 0;  // which zygote of the factory's that is
};

// Not thread-safe: its owner serialises the calls. Every call is bounded in time; after an error
// is_sound() says whether it can be used further. The destructor kills it, and with it all its
// workers.
class ZygoteProcess {
 public:
  // Starts it and waits until its jail stands. Errors: kNotReady, naming the step that failed.
  [[nodiscard]] static Result<ZygoteProcess> start(const WorkerProgram& program, int elf,
                                                   unsigned memory_mb);

  ZygoteProcess(ZygoteProcess&& other) noexcept;
  ZygoteProcess& operator=(ZygoteProcess&& other) noexcept;
  ~ZygoteProcess();

  [[nodiscard]] Result<WorkerHandle> spawn();
  // The wait status (waitpid(2)) of a worker that has ended or is about to. Errors: it has not
  // ended in time, or the zygote is gone.
  [[nodiscard]] Result<int> reap(pid_t zygote_pid);

  // False once it has not answered, or not as agreed. That a worker could not be made, for want of
  // a process or a descriptor, is an answer: the workers that there are go on.
  [[nodiscard]] bool is_sound() const noexcept { return sound_; }

  // Bits of guest::Achieved.
  [[nodiscard]] std::uint32_t achieved() const noexcept { return achieved_; }

 private:
  ZygoteProcess(UniqueFd control, pid_t pid) noexcept : control_(std::move(control)), pid_(pid) {}
  [[nodiscard]] Result<guest::ZygoteReply> receive(struct WorkerHandle* handle);

  UniqueFd control_;
  pid_t pid_ = -1;
  std::uint32_t achieved_ = 0;
  bool sound_ = true;
};

}  // namespace plimsoll::jailed
