#include "microvm/guest/mailbox_host.h"

#include <algorithm>
#include <cstring>

namespace plimsoll::microvm {

namespace {

std::uint64_t ticks() noexcept { return __builtin_ia32_rdtsc(); }

std::uint8_t* at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::uint8_t*>(address);
}

std::uint64_t elapsed_ns(std::uint64_t since_ticks) noexcept {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t passed = ticks() - since_ticks;
  return static_cast<std::uint64_t>((Wide{passed} * mailbox().ns_per_tick) >> 32);
}

}  // namespace

void hypercall(Hypercall number) noexcept {
  asm volatile("outb %0, %1"
               :
               : "a"(static_cast<std::uint8_t>(number)), "N"(int{kHypercallPort})
               : "memory");
}

void MailboxHost::take_clocks() noexcept {
  wall_base_ = mailbox().wall_ns;
  monotonic_base_ = mailbox().monotonic_ns;
  ticks_ = ticks();
}

void MailboxHost::ask(Hypercall number) noexcept {
  hypercall(number);
  take_clocks();
}

void MailboxHost::begin(const guest::RunHeader& run) noexcept {
  run_ = run;
  take_clocks();
}

void MailboxHost::finish(const guest::Done& done) noexcept {
  const auto bytes = guest::encode(done);
  for (std::size_t i = 0; i < bytes.size(); ++i) mailbox().done[i] = bytes[i];
  hypercall(Hypercall::kDone);
  for (;;) hypercall(Hypercall::kPanic);
}

std::uint64_t MailboxHost::wall_ns() noexcept { return wall_base_ + elapsed_ns(ticks_); }

std::uint64_t MailboxHost::monotonic_ns() noexcept {
  // The counter and the VMM's clock are not the same; what was said once stays true.
  monotonic_last_ = std::max(monotonic_last_, monotonic_base_ + elapsed_ns(ticks_));
  return monotonic_last_;
}

void MailboxHost::fill_random(std::span<std::uint8_t> out) noexcept {
  volatile Mailbox& shared = mailbox();
  for (std::uint8_t& byte : out) {
    if (shared.random_bytes == 0) ask(Hypercall::kRandom);
    const std::uint32_t left = shared.random_bytes - 1;
    shared.random_bytes = left;
    volatile std::uint8_t& from = shared.random[left];
    byte = from;
    from = 0;
  }
}

engine::WriteVerdict MailboxHost::write(engine::Stream stream,
                                        std::span<const std::uint8_t> bytes) noexcept {
  volatile Mailbox& shared = mailbox();
  const std::size_t which = stream == engine::Stream::kStderr ? 1 : 0;
  written_ += bytes.size();
  if (kept_[which] + bytes.size() > run_.output_cap) {
    shared.truncated[which] = 1;
    bytes = bytes.first(static_cast<std::size_t>(run_.output_cap - kept_[which]));
  }
  kept_[which] += bytes.size();
  if (!has_output()) buffered_since_ns_ = monotonic_ns();
  while (!bytes.empty()) {
    const std::size_t used = shared.output_bytes[which];
    const std::size_t take = std::min(kOutputWindow - used, bytes.size());
    std::memcpy(at(kOutputArea + which * kOutputWindow + used), bytes.data(), take);
    asm volatile("" ::: "memory");
    shared.output_bytes[which] = static_cast<std::uint32_t>(used + take);
    bytes = bytes.subspan(take);
    if (used + take == kOutputWindow) send_output();
  }
  if (written_ <= run_.flood_bytes) return engine::WriteVerdict::kContinue;
  shared.truncated[0] = 1;
  shared.truncated[1] = 1;
  return engine::WriteVerdict::kStop;
}

bool MailboxHost::has_output() const noexcept {
  return mailbox().output_bytes[0] + mailbox().output_bytes[1] > 0;
}

bool MailboxHost::deadline_passed() noexcept { return mailbox().deadline_passed != 0; }

bool MailboxHost::output_is_due() noexcept {
  constexpr std::uint64_t kPatience = 20'000'000;
  return has_output() && monotonic_ns() - buffered_since_ns_ > kPatience;
}

void MailboxHost::send_output() noexcept { ask(Hypercall::kFlush); }

void MailboxHost::sleep_ns(std::uint64_t ns) noexcept {
  mailbox().sleep_ns = ns;
  ask(Hypercall::kSleep);
}

bool MailboxHost::call_host(const engine::HostCall& call) noexcept {
  if (run_.global_bytes == 0) return false;
  const auto text = [](std::span<const std::uint8_t> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto head = guest::encode_head({.id = call.id,
                                        .has_body = call.has_body,
                                        .method = text(call.method),
                                        .target = text(call.target),
                                        .body = text(call.body)});
  std::size_t size = 0;
  for (const std::span<const std::uint8_t> part :
       {std::span<const std::uint8_t>(head), call.method, call.target, call.body}) {
    if (!part.empty()) std::memcpy(at(kCallArea + size), part.data(), part.size());
    size += part.size();
  }
  mailbox().call_bytes = static_cast<std::uint32_t>(size);
  ask(Hypercall::kCall);
  return true;
}

engine::ReplyWait MailboxHost::await_reply(std::uint64_t ns, engine::HostReply& reply) noexcept {
  volatile Mailbox& shared = mailbox();
  shared.sleep_ns = ns;
  ask(Hypercall::kAwait);
  if (shared.has_reply == 0) return engine::ReplyWait::kNone;
  std::array<std::uint8_t, guest::kHostReplyHeadBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = shared.reply[i];
  const auto head = guest::decode_reply_head(bytes);
  if (!head) hypercall(Hypercall::kPanic);
  reply_taken_ = 0;
  reply = {.id = head->id,
           .status = head->status,
           .refused = head->refused,
           .type_bytes = head->type_bytes,
           .body_bytes = head->body_bytes};
  return engine::ReplyWait::kReply;
}

void MailboxHost::take_reply(std::span<std::uint8_t> into) noexcept {
  std::memcpy(into.data(), at(kReplyArea + reply_taken_), into.size());
  reply_taken_ += into.size();
}

}  // namespace plimsoll::microvm
