#include "worker/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/run.h"
#include "guest/frame.h"
#include "worker/deadline.h"
#include "worker/guest_runner.h"
#include "worker/jail.h"
#include "worker/probe.h"
#include "worker/slot.h"

namespace plimsoll::worker {

namespace {

// Beside the guest's memory: the stack, the allocator, slack.
constexpr std::size_t kDataOverhead = kStackBytes + (std::size_t{16} << 20);

// Everything lives in static storage: the guest's stack is for the guest, and there is one worker.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): the buffer, see there
struct Worker {
  GuestRunner runner{kChannelFd};
  const std::vector<sock_filter>* filter = nullptr;
  std::size_t data_bytes = 0;
  int pagemap_fd = -1;
  std::size_t received = 0;
  // Static storage is zero; an initializer would write, and so take, megabytes at each start.
  std::array<std::uint8_t, guest::kHeaderBytes + guest::kMaxRunPayload> buffer;
};
constinit Worker* g_worker = nullptr;

// Reads until `size` bytes are in the buffer. False at the end of the channel.
bool receive(Worker& worker, std::size_t size) noexcept {
  while (worker.received < size) {
    const ssize_t got = ::read(kChannelFd, worker.buffer.data() + worker.received,
                               worker.buffer.size() - worker.received);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    worker.received += static_cast<std::size_t>(got);
  }
  return true;
}

// Drops the next `bytes` bytes of the channel.
bool skip(Worker& worker, std::size_t bytes) noexcept {
  for (;;) {
    const std::size_t here = std::min(bytes, worker.received);
    worker.received -= here;
    bytes -= here;
    std::memmove(worker.buffer.data(), worker.buffer.data() + here, worker.received);
    if (bytes == 0) return true;
    if (!receive(worker, 1)) return false;
  }
}

bool run(Worker& worker, std::span<const std::uint8_t> payload) noexcept {
  const auto header = guest::decode_run(payload);
  if (!header) return false;
  std::uint32_t heap_bytes = 0;
  if (!limit_slot_memory(header->memory_bytes, heap_bytes)) return false;
  worker.runner.begin(*header);
  const std::uint64_t started = worker.runner.monotonic_ns();
  // A longer one than the clock can hold is as good as none.
  constexpr std::uint64_t kMaxTimeoutUs = std::uint64_t{1} << 40;
  arm_deadline(std::chrono::microseconds(std::min(header->timeout_us, kMaxTimeoutUs)));
  const auto text = payload.subspan(guest::kRunHeaderBytes);
  const engine::GrantedClient client{
      .global = text.first(header->global_bytes),
      .preamble = text.subspan(header->global_bytes, header->preamble_bytes)};
  const engine::RunEnd end = engine::run_snippet(
      slot_instance(), slot_header(), text.subspan(header->global_bytes + header->preamble_bytes),
      worker.runner, heap_bytes, client);
  disarm_deadline();
  const guest::Done done{.cause = static_cast<guest::DoneCause>(end.cause),
                         .exit_code = static_cast<std::uint8_t>(end.exit_code),
                         .trap = static_cast<std::uint8_t>(end.trap),
                         .engine_ns = worker.runner.monotonic_ns() - started};
  return worker.runner.finish(done) && reset_slot(worker.pagemap_fd);
}

bool probe(Worker& worker, std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != 1) return false;
  const std::uint8_t survived[] = {static_cast<std::uint8_t>(try_forbidden(payload[0]))};
  return worker.runner.send(guest::FrameKind::kProbeResult, survived);
}

bool serve_one(Worker& worker) noexcept {
  if (!receive(worker, guest::kHeaderBytes)) return false;
  const auto header = guest::decode_header(std::span<const std::uint8_t, guest::kHeaderBytes>(
      worker.buffer.data(), guest::kHeaderBytes));
  if (!header) ::_exit(1);
  if (header->kind == guest::FrameKind::kHostReply) {
    if (header->size > guest::kMaxHostReplyPayload) ::_exit(1);
    return skip(worker, guest::kHeaderBytes + header->size);  // its run had ended when it came
  }
  if (header->size > guest::kMaxRunPayload) ::_exit(1);
  const std::size_t whole = guest::kHeaderBytes + header->size;
  if (!receive(worker, whole)) return false;
  // The host waits for each answer; bytes beyond the frame are not the protocol.
  if (worker.received != whole) ::_exit(1);
  worker.received = 0;
  const std::span payload(worker.buffer.data() + guest::kHeaderBytes, header->size);
  switch (header->kind) {
    case guest::FrameKind::kRun:
      return run(worker, payload);
    case guest::FrameKind::kProbe:
      return probe(worker, payload);
    default:
      ::_exit(1);
  }
}

// The first thing on the guest's stack: the switch itself takes a system call that the filter
// forbids.
void jail_and_serve() {
  Worker& worker = *g_worker;
  if (prepare_deadline_and_faults() != 0) ::_exit(1);
  const int keep_below = worker.pagemap_fd >= 0 ? kFirstClosedFd : kPagemapFd;
  if (jail_worker(*worker.filter, keep_below, worker.data_bytes).error != 0) ::_exit(1);
  if (!worker.runner.send(guest::FrameKind::kReady, {})) ::_exit(0);
  while (serve_one(worker)) {
  }
  ::_exit(0);
}

}  // namespace

void run_worker(WorkerStart start) noexcept {
  (void)::prctl(PR_SET_NAME, "plimsoll-worker", 0, 0, 0);
  static Worker worker;
  g_worker = &worker;
  // Without it, each reset gives back every touched page: slower, and just as exact.
  UniqueFd pagemap(
      start.proc_fd < 0 ? -1 : ::openat(start.proc_fd, "self/pagemap", O_RDONLY | O_CLOEXEC));
  const int channel = start.channel.release();
  if (pagemap && pagemap.get() <= kChannelFd) {
    // It took the number that the channel needs.
    pagemap.reset(::fcntl(pagemap.get(), F_DUPFD_CLOEXEC, kFirstClosedFd));
  }
  if (channel != kChannelFd && ::dup2(channel, kChannelFd) != kChannelFd) ::_exit(1);
  if (pagemap) {
    if (pagemap.get() != kPagemapFd && ::dup2(pagemap.get(), kPagemapFd) != kPagemapFd) ::_exit(1);
    (void)pagemap.release();
    worker.pagemap_fd = kPagemapFd;
  }
  worker.filter = start.filter;
  worker.data_bytes = start.memory_bytes + kDataOverhead;
  run_on_guest_stack(jail_and_serve);
}

}  // namespace plimsoll::worker
