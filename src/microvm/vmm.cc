#include "microvm/vmm.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <span>
#include <utility>

#include "base/fd_message.h"
#include "guest/frame.h"
#include "microvm/deadline.h"
#include "microvm/host_link.h"
#include "microvm/run_loop.h"
#include "microvm/slot.h"
#include "microvm/vmm_filter.h"
#include "worker/jail.h"
#include "worker/probe.h"

namespace plimsoll::microvm {

namespace {

// Beside the guest's memory: the allocator, slack.
constexpr std::size_t kDataOverhead = std::size_t{16} << 20;

bool say_ready() noexcept {
  const auto frame = guest::encode_header({.size = 0, .kind = guest::FrameKind::kReady});
  // The machine's as well: on a kernel whose counters do not keep their machine, whoever reads them
  // after this process's end would read what the kernel has freed.
  const int fds[] = {kStatisticsFd, kVmFd};
  // What a user's processes have sent and nobody has received counts against the sender's limit of
  // descriptors, and this one's is that of its own few.
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMaxPauses = 2'000;
  int error = send_message(kChannelFd, std::as_bytes(std::span(frame)), fds);
  for (int i = 0; i < kMaxPauses && error == ETOOMANYREFS; ++i) {
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
    error = send_message(kChannelFd, std::as_bytes(std::span(frame)), fds);
  }
  return error == 0;
}

bool probe(const HostLink& link, std::uint32_t payload_bytes) noexcept {
  std::array<std::uint8_t, 1> act{};
  if (payload_bytes != act.size() || !link.read(act)) return false;
  const std::uint8_t survived[] = {static_cast<std::uint8_t>(worker::try_forbidden(act[0]))};
  return link.send(guest::FrameKind::kProbeResult, survived);
}

int serve(Slot& slot, const Template& origin) noexcept {
  const HostLink link(kChannelFd);
  // Nanoseconds a tick as a fixed point of 32 bits: 10^6 / kHz.
  RunLoop loop(slot, link, (std::uint64_t{1'000'000} << 32) / origin.tsc_khz());
  if (!loop.warm_up(origin.memory_bytes())) return 1;
  if (!say_ready()) return 0;
  for (;;) {
    const auto header = link.next_header();
    if (!header) return 0;
    if (header->kind == guest::FrameKind::kProbe) {
      if (!probe(link, header->size)) return 1;
      continue;
    }
    if (header->kind == guest::FrameKind::kHostReply) {
      if (header->size > guest::kMaxHostReplyPayload || !link.skip(header->size)) return 1;
      continue;  // its run had ended when it came
    }
    if (header->kind != guest::FrameKind::kRun || header->size > guest::kMaxRunPayload) return 1;
    switch (loop.run(header->size)) {
      case RunLoopEnd::kReset:
        continue;
      case RunLoopEnd::kSpent:
      case RunLoopEnd::kGone:
        return 0;
    }
  }
}

// Gives the descriptor this number. Whatever had it is closed.
bool take_number(UniqueFd file, int number) noexcept {
  return ::dup3(file.get(), number, O_CLOEXEC) == number;
}

UniqueFd out_of_the_way(const UniqueFd& file) noexcept {
  return UniqueFd(::fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstClosedFd));
}

}  // namespace

void run_vmm(VmmStart start) noexcept {
  (void)::prctl(PR_SET_NAME, "plimsoll-vmm", 0, 0, 0);
  auto machine = start.origin->start(*start.kvm);
  if (!machine) ::_exit(1);
  auto statistics = machine->statistics();
  if (!statistics) ::_exit(1);
  // KVM starts a thread of its own at the first entry; none is allowed afterwards.
  if (!machine->settle()) ::_exit(1);
  UniqueFd channel = out_of_the_way(start.channel);
  UniqueFd counters = out_of_the_way(*statistics);
  if (!channel || !counters) ::_exit(1);
  start.channel.reset();
  statistics->reset();
  if (!machine->renumber(kVmFd, kVcpuFd, kFirstClosedFd) ||
      !take_number(std::move(channel), kChannelFd) ||
      !take_number(std::move(counters), kStatisticsFd)) {
    ::_exit(1);
  }
  if (prepare_deadline() != 0) ::_exit(1);
  Slot slot(*machine, *start.origin);
  const std::size_t data_bytes = machine->memory().size() + kDataOverhead;
  if (worker::jail_worker(*start.filter, kFirstClosedFd, data_bytes).error != 0) ::_exit(1);
  ::_exit(serve(slot, *start.origin));
}

}  // namespace plimsoll::microvm
