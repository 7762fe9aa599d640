#include "microvm/run_loop.h"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "microvm/deadline.h"
#include "microvm/exchange.h"

namespace plimsoll::microvm {

namespace {

using guest::FaultReason;

// A longer one than the clock can hold is as good as none.
constexpr std::uint64_t kMaxTimeoutUs = std::uint64_t{1} << 40;
// The deadline's signal may come just before a wait begins; in between it is polled.
constexpr std::uint64_t kSlice = 5'000'000;
// What a run starts with: enough for its Math.random, without asking.
constexpr std::size_t kFirstRandom = 64;

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) __builtin_trap();
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

void RunLoop::set_clocks() noexcept {
  Mailbox& mailbox = slot_.machine().mailbox();
  mailbox.wall_ns = now_ns(CLOCK_REALTIME);
  mailbox.monotonic_ns = now_ns(CLOCK_MONOTONIC);
  mailbox.ns_per_tick = ns_per_tick_;
  mailbox.deadline_passed = deadline() == Deadline::kAhead ? 0 : 1;
}

void RunLoop::fill_random(std::size_t bytes) noexcept {
  Mailbox& mailbox = slot_.machine().mailbox();
  std::span<std::uint8_t> left(mailbox.random, bytes);
  while (!left.empty()) {
    const ssize_t got = ::getrandom(left.data(), left.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      __builtin_trap();  // a guest without randomness must not run
    }
    left = left.subspan(static_cast<std::size_t>(got));
  }
  mailbox.random_bytes = static_cast<std::uint32_t>(bytes);
}

bool RunLoop::warm_up(std::size_t memory_bytes) noexcept {
  constexpr std::string_view kCode = "console.log(6*7)";
  constexpr int kMaxExits = 64;  // it takes one, and whatever interrupts it
  const auto header = guest::encode(guest::RunHeader{.timeout_us = kMaxTimeoutUs,
                                                     .output_cap = kOutputWindow,
                                                     .flood_bytes = kOutputWindow,
                                                     .memory_bytes = memory_bytes});
  const auto payload = slot_.run_area(header.size() + kCode.size());
  std::ranges::copy(header, payload.begin());
  std::ranges::copy(kCode, payload.begin() + header.size());
  slot_.machine().mailbox().run_bytes = static_cast<std::uint32_t>(payload.size());
  fill_random(kFirstRandom);
  for (int i = 0; i < kMaxExits; ++i) {
    set_clocks();
    const MachineExit exit = slot_.machine().enter();
    if (exit.kind == MachineExit::Kind::kInterrupted) continue;
    const bool done = exit.kind == MachineExit::Kind::kHypercall && exit.call == Hypercall::kDone;
    return done && slot_.reset();
  }
  return false;
}

RunLoopEnd RunLoop::run(std::uint32_t payload_bytes) noexcept {
  const auto payload = slot_.run_area(payload_bytes);
  if (!link_.read(payload)) return RunLoopEnd::kGone;
  const auto header = guest::decode_run(payload);
  if (!header) return RunLoopEnd::kGone;
  slot_.machine().mailbox().run_bytes = payload_bytes;
  fill_random(kFirstRandom);
  granted_ = header->global_bytes > 0;
  started_ns_ = now_ns(CLOCK_MONOTONIC);
  arm_deadline(std::chrono::microseconds(std::min(header->timeout_us, kMaxTimeoutUs)),
               slot_.machine().leave_at_once());
  for (;;) {
    // In this order: a tick between the two is not lost.
    slot_.machine().leave_at_once() = 0;
    if (deadline() == Deadline::kHardStop) return hard_stop();
    set_clocks();
    const MachineExit exit = slot_.machine().enter();
    switch (exit.kind) {
      case MachineExit::Kind::kInterrupted:
        continue;
      case MachineExit::Kind::kFault:
        return fault(exit.fault, exit.detail);
      case MachineExit::Kind::kHypercall:
        break;
    }
    if (const auto ended = serve(exit.call)) return *ended;
  }
}

std::optional<RunLoopEnd> RunLoop::serve(Hypercall call) noexcept {
  switch (call) {
    case Hypercall::kDone:
      return done();
    case Hypercall::kFlush:
      return flush();
    case Hypercall::kCall:
      return call_host();
    case Hypercall::kAwait:
      return await_reply();
    case Hypercall::kSleep:
      return sleep();
    case Hypercall::kRandom:
      fill_random(sizeof Mailbox::random);
      return std::nullopt;
    case Hypercall::kBooted:
    case Hypercall::kReady:
    case Hypercall::kPanic:
      break;
  }
  return fault(FaultReason::kPanic, static_cast<std::uint32_t>(call));
}

std::optional<RunLoopEnd> RunLoop::flush() noexcept {
  const auto output = output_of(slot_.machine().memory());
  if (!output) return fault(FaultReason::kMailbox, 0);
  if (output->empty()) return std::nullopt;
  if (!link_.send_output(*output)) return RunLoopEnd::kGone;
  Mailbox& mailbox = slot_.machine().mailbox();
  mailbox.output_bytes[0] = 0;
  mailbox.output_bytes[1] = 0;
  return std::nullopt;
}

std::optional<RunLoopEnd> RunLoop::call_host() noexcept {
  const auto call = call_of(slot_.machine().memory());
  if (!granted_ || !call) return fault(FaultReason::kMailbox, 0);
  if (!link_.send(guest::FrameKind::kHostCall, *call)) return RunLoopEnd::kGone;
  return std::nullopt;
}

bool RunLoop::take_reply() noexcept {
  const auto header = link_.next_header();
  if (!header || header->kind != guest::FrameKind::kHostReply ||
      header->size < guest::kHostReplyHeadBytes) {
    return false;
  }
  std::array<std::uint8_t, guest::kHostReplyHeadBytes> bytes{};
  if (!link_.read(bytes)) return false;
  const auto head = guest::decode_reply_head(bytes);
  if (!head || header->size != guest::kHostReplyHeadBytes + head->type_bytes + head->body_bytes) {
    return false;
  }
  if (!link_.read(slot_.reply_area(std::size_t{head->type_bytes} + head->body_bytes))) return false;
  Mailbox& mailbox = slot_.machine().mailbox();
  std::copy(bytes.begin(), bytes.end(), mailbox.reply);
  mailbox.reply_bytes = head->type_bytes + head->body_bytes;
  mailbox.has_reply = 1;
  return true;
}

std::optional<RunLoopEnd> RunLoop::await_reply() noexcept {
  if (!granted_) return fault(FaultReason::kMailbox, 0);
  if (const auto ended = flush()) return ended;
  Mailbox& mailbox = slot_.machine().mailbox();
  mailbox.has_reply = 0;
  const std::uint64_t until = now_ns(CLOCK_MONOTONIC) + sleep_of(slot_.machine().memory());
  for (;;) {
    const std::uint64_t now = now_ns(CLOCK_MONOTONIC);
    if (link_.readable_within(now < until ? std::min(until - now, kSlice) : 0)) {
      if (!take_reply()) return RunLoopEnd::kGone;
      return std::nullopt;
    }
    if (deadline() != Deadline::kAhead || now >= until) return std::nullopt;
  }
}

std::optional<RunLoopEnd> RunLoop::sleep() noexcept {
  const std::uint64_t ns = sleep_of(slot_.machine().memory());
  if (ns > kSlice) {
    if (const auto ended = flush()) return ended;
  }
  const std::uint64_t until = now_ns(CLOCK_MONOTONIC) + ns;
  for (std::uint64_t now = now_ns(CLOCK_MONOTONIC); now < until && deadline() == Deadline::kAhead;
       now = now_ns(CLOCK_MONOTONIC)) {
    const timespec rest{.tv_sec = 0, .tv_nsec = static_cast<long>(std::min(until - now, kSlice))};
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
  }
  return std::nullopt;
}

RunLoopEnd RunLoop::end(const Output& output, const guest::Done& done) noexcept {
  disarm_deadline();
  if (!link_.send_output(output, nullptr, &done)) return RunLoopEnd::kGone;
  return slot_.reset() ? RunLoopEnd::kReset : RunLoopEnd::kSpent;
}

RunLoopEnd RunLoop::done() noexcept {
  const auto output = output_of(slot_.machine().memory());
  const auto done = done_of(slot_.machine().memory());
  if (!output || !done) return fault(FaultReason::kMailbox, 0);
  return end(*output, *done);
}

// The guest's code is abandoned where it is. What it wrote before is in the windows.
RunLoopEnd RunLoop::hard_stop() noexcept {
  const auto output = output_of(slot_.machine().memory());
  if (!output) return fault(FaultReason::kMailbox, 0);
  return end(*output, {.cause = guest::DoneCause::kTimedOut,
                       .stdout_truncated = output->truncated[0],
                       .stderr_truncated = output->truncated[1],
                       .engine_ns = now_ns(CLOCK_MONOTONIC) - started_ns_});
}

RunLoopEnd RunLoop::fault(FaultReason reason, std::uint32_t detail) noexcept {
  disarm_deadline();
  const auto position = slot_.machine().position();
  const guest::Fault report{
      .reason = reason, .detail = detail, .rip = position.rip, .cr2 = position.cr2};
  const auto output = output_of(slot_.machine().memory());
  const guest::Done done{.cause = guest::DoneCause::kEngineFault,
                         .stdout_truncated = output && output->truncated[0],
                         .stderr_truncated = output && output->truncated[1],
                         .trap = trap_of(reason, position.cr2),
                         .engine_ns = now_ns(CLOCK_MONOTONIC) - started_ns_};
  if (!link_.send_output(output.value_or(Output{}), &report, &done)) return RunLoopEnd::kGone;
  return RunLoopEnd::kSpent;
}

}  // namespace plimsoll::microvm
