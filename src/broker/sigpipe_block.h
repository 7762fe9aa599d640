// Keeps a SIGPIPE of this thread from ending the process: OpenSSL writes to sockets with write(2),
// and the program that embeds us may not ignore the signal.
#pragma once

#include <signal.h>

#include <ctime>

namespace plimsoll {

// Blocks SIGPIPE for the thread while it lives, and takes one that arose meanwhile away. Leaves
// alone one that was pending before.
class SigpipeBlock {
 public:
  SigpipeBlock() noexcept {
    sigset_t pending{};
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;
  ~SigpipeBlock() {
    const timespec now{};
    if (!was_pending_) (void)::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace plimsoll
