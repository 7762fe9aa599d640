// A hostile machine: whatever it left in its mailbox, its areas and the page that KVM shares with
// the monitor, the monitor takes views of the guest's own areas only, calls and ends that decode,
// and an exit that is a hypercall only when it is one. Input: the run page's first 96 bytes, then
// the mailbox, then the area of calls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "microvm/exchange.h"
#include "microvm/machine_exit.h"
#include "require.h"

namespace {

using namespace plimsoll::microvm;
using plimsoll::fuzz::require;

constexpr std::size_t kRunPageBytes = 4 * kPage;
constexpr std::size_t kFuzzedHead = 96;

const GuestMemory& memory() {
  static const auto made = GuestMemory::zero(kLargePage);
  require(made.has_value(), "memory for a machine");
  return *made;
}

std::span<const std::uint8_t> take(std::span<const std::uint8_t>& from, std::size_t size) {
  const auto part = from.first(std::min(size, from.size()));
  from = from.subspan(part.size());
  return part;
}

bool inside(std::span<const std::uint8_t> view, std::uint64_t area, std::size_t size) {
  const auto whole = memory().at(area, size);
  return view.empty() ||
         (view.data() >= whole.data() && view.data() + view.size() <= whole.data() + whole.size());
}

void check_exit(std::span<const std::uint8_t> head) {
  alignas(kvm_run) static std::array<std::uint8_t, kRunPageBytes> page;
  std::ranges::fill(page, std::uint8_t{1});
  std::ranges::copy(head, page.begin());
  const auto& run = *reinterpret_cast<const kvm_run*>(page.data());
  const MachineExit exit = classify(run, page.size());
  if (exit.kind == MachineExit::Kind::kHypercall) {
    require(run.exit_reason == KVM_EXIT_IO && run.io.port == kHypercallPort &&
                run.io.direction == KVM_EXIT_IO_OUT && run.io.size == 1 && run.io.count == 1,
            "a hypercall is one byte out of the one port");
    require(exit.call >= Hypercall::kBooted && exit.call < Hypercall::kPanic, "a known hypercall");
  }
  if (exit.kind == MachineExit::Kind::kInterrupted) {
    require(run.exit_reason == KVM_EXIT_INTR, "an interruption");
  }
  if (exit.kind == MachineExit::Kind::kFault) {
    const plimsoll::guest::Fault fault{.reason = exit.fault, .detail = exit.detail};
    require(plimsoll::guest::decode_fault(encode(fault)).has_value(), "a fault that can be told");
    std::uint64_t address = 0;
    std::memcpy(&address, page.data() + kFuzzedHead - sizeof address, sizeof address);
    require(trap_of(exit.fault, address) != 0, "a fault is a trap");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> left(data, size);
  check_exit(take(left, kFuzzedHead));
  const auto mailbox = memory().at(kMailbox, sizeof(Mailbox));
  std::ranges::fill(mailbox, std::uint8_t{0});
  std::ranges::copy(take(left, mailbox.size()), mailbox.begin());
  const auto calls = memory().at(kCallArea, 2 * kPage);
  std::ranges::fill(calls, std::uint8_t{0});
  std::ranges::copy(take(left, calls.size()), calls.begin());

  if (const auto output = output_of(memory())) {
    require(inside(output->streams[0], kOutputArea, kOutputWindow), "stdout is of its window");
    require(inside(output->streams[1], kOutputArea + kOutputWindow, kOutputWindow),
            "stderr is of its window");
  }
  if (const auto call = call_of(memory())) {
    require(inside(*call, kCallArea, plimsoll::guest::kMaxHostCallPayload),
            "a call is of its area");
    require(plimsoll::guest::decode_call(*call).has_value(), "a call that decodes");
  }
  if (const auto done = done_of(memory())) {
    require(plimsoll::guest::decode_done(encode(*done)).has_value(), "an end that decodes");
    require(done->cause != plimsoll::guest::DoneCause::kSignaled, "an end of a machine");
  }
  require(sleep_of(memory()) <= 3'600'000'000'000, "no longer than an hour");
  return 0;
}
