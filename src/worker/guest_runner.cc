#include "worker/guest_runner.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "worker/deadline.h"

namespace plimsoll::worker {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) __builtin_trap();
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

// Sends all of `parts`, however often it takes. False: the other end is gone.
bool send_all(int socket, std::span<iovec> parts) noexcept {
  std::size_t first = 0;
  while (first < parts.size()) {
    msghdr message{};
    message.msg_iov = parts.data() + first;
    message.msg_iovlen = parts.size() - first;
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    auto left = static_cast<std::size_t>(sent);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (first < parts.size()) {
      parts[first].iov_base = static_cast<std::byte*>(parts[first].iov_base) + left;
      parts[first].iov_len -= left;
    }
  }
  return true;
}

iovec part(std::span<const std::uint8_t> bytes) noexcept {
  return {.iov_base = const_cast<std::uint8_t*>(bytes.data()), .iov_len = bytes.size()};
}

}  // namespace

void GuestRunner::begin(const guest::RunHeader& run) noexcept {
  run_ = run;
  written_ = 0;
  for (Output* output : {&stdout_, &stderr_}) {
    output->kept = 0;
    output->truncated = false;
    output->buffered = 0;
  }
}

bool GuestRunner::send(guest::FrameKind kind,
                       std::span<const std::uint8_t> payload) const noexcept {
  const auto header =
      guest::encode_header({.size = static_cast<std::uint32_t>(payload.size()), .kind = kind});
  std::array<iovec, 2> parts = {part(header), part(payload)};
  return send_all(channel_, parts);
}

bool GuestRunner::flush(Output& output) const noexcept {
  const std::size_t size = std::exchange(output.buffered, 0);
  return size == 0 || send(output.kind, std::span(output.buffer).first(size));
}

bool GuestRunner::finish(guest::Done done) noexcept {
  done.stdout_truncated = stdout_.truncated;
  done.stderr_truncated = stderr_.truncated;
  std::array<guest::HeaderBytes, 3> headers{};
  std::array<iovec, 6> parts{};
  std::size_t count = 0;
  for (const Output* output : {&stdout_, &stderr_}) {
    if (output->buffered == 0) continue;
    headers[count / 2] = guest::encode_header(
        {.size = static_cast<std::uint32_t>(output->buffered), .kind = output->kind});
    parts[count] = part(headers[count / 2]);
    parts[count + 1] = part(std::span(output->buffer).first(output->buffered));
    count += 2;
  }
  const auto payload = guest::encode(done);
  headers[count / 2] =
      guest::encode_header({.size = payload.size(), .kind = guest::FrameKind::kDone});
  parts[count] = part(headers[count / 2]);
  parts[count + 1] = part(payload);
  return send_all(channel_, std::span(parts).first(count + 2));
}

std::uint64_t GuestRunner::wall_ns() noexcept { return now_ns(CLOCK_REALTIME); }
std::uint64_t GuestRunner::monotonic_ns() noexcept { return now_ns(CLOCK_MONOTONIC); }

void GuestRunner::fill_random(std::span<std::uint8_t> out) noexcept {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      __builtin_trap();  // a guest without randomness must not run
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

engine::WriteVerdict GuestRunner::write(engine::Stream stream,
                                        std::span<const std::uint8_t> bytes) noexcept {
  Output& output = stream == engine::Stream::kStderr ? stderr_ : stdout_;
  written_ += bytes.size();
  if (output.kept + bytes.size() > run_.output_cap) {
    output.truncated = true;
    bytes = bytes.first(static_cast<std::size_t>(run_.output_cap - output.kept));
  }
  output.kept += bytes.size();
  if (stdout_.buffered + stderr_.buffered == 0) buffered_since_ns_ = monotonic_ns();
  while (!bytes.empty()) {
    const std::size_t room = output.buffer.size() - output.buffered;
    const std::size_t take = std::min(room, bytes.size());
    std::memcpy(output.buffer.data() + output.buffered, bytes.data(), take);
    output.buffered += take;
    bytes = bytes.subspan(take);
    if (output.buffered == output.buffer.size() && !flush(output)) {
      return engine::WriteVerdict::kStop;  // nobody reads any more
    }
  }
  if (written_ <= run_.flood_bytes) return engine::WriteVerdict::kContinue;
  stdout_.truncated = stderr_.truncated = true;
  return engine::WriteVerdict::kStop;
}

bool GuestRunner::call_host(const engine::HostCall& call) noexcept {
  if (run_.global_bytes == 0) return false;
  const auto text = [](std::span<const std::uint8_t> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto head = guest::encode_head({.id = call.id,
                                        .has_body = call.has_body,
                                        .method = text(call.method),
                                        .target = text(call.target),
                                        .body = text(call.body)});
  const std::size_t size = head.size() + call.method.size() + call.target.size() + call.body.size();
  const auto header = guest::encode_header(
      {.size = static_cast<std::uint32_t>(size), .kind = guest::FrameKind::kHostCall});
  std::array<iovec, 5> parts = {part(header), part(head), part(call.method), part(call.target),
                                part(call.body)};
  if (!send_all(channel_, parts)) ::_exit(1);
  return true;
}

engine::ReplyWait GuestRunner::await_reply(std::uint64_t ns, engine::HostReply& reply) noexcept {
  // As in sleep_ns(), the deadline's signal may come just before a wait begins.
  constexpr std::uint64_t kSlice = 5'000'000;
  send_output();
  const std::uint64_t until = monotonic_ns() + ns;
  for (;;) {
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t slice = now < until ? std::min(until - now, kSlice) : 0;
    const timespec rest{.tv_sec = 0, .tv_nsec = static_cast<long>(slice)};
    pollfd ready{.fd = channel_, .events = POLLIN, .revents = 0};
    if (::ppoll(&ready, 1, &rest, nullptr) > 0) break;
    if (deadline_passed() || monotonic_ns() >= until) return engine::ReplyWait::kNone;
  }
  std::array<std::uint8_t, guest::kHeaderBytes + guest::kHostReplyHeadBytes> bytes{};
  take_reply(bytes);
  const std::span<const std::uint8_t> all(bytes);
  const auto header = guest::decode_header(all.first<guest::kHeaderBytes>());
  const auto head = guest::decode_reply_head(all.last<guest::kHostReplyHeadBytes>());
  if (!header || header->kind != guest::FrameKind::kHostReply || !head ||
      header->size != guest::kHostReplyHeadBytes + head->type_bytes + head->body_bytes) {
    ::_exit(1);
  }
  reply = {.id = head->id,
           .status = head->status,
           .refused = head->refused,
           .type_bytes = head->type_bytes,
           .body_bytes = head->body_bytes};
  return engine::ReplyWait::kReply;
}

void GuestRunner::take_reply(std::span<std::uint8_t> into) noexcept {
  while (!into.empty()) {
    const ssize_t got = ::read(channel_, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(1);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

bool GuestRunner::output_is_due() noexcept {
  constexpr std::uint64_t kPatience = 20'000'000;
  return stdout_.buffered + stderr_.buffered > 0 && monotonic_ns() - buffered_since_ns_ > kPatience;
}

void GuestRunner::send_output() noexcept {
  // Nobody reads any more: the next write of the guest's finds that out.
  if (flush(stdout_)) (void)flush(stderr_);
}

bool GuestRunner::deadline_passed() noexcept { return worker::deadline_passed(); }

void GuestRunner::sleep_ns(std::uint64_t ns) noexcept {
  // The deadline's signal ends the sleep; in between it is polled, since the signal may come just
  // before the sleep begins.
  constexpr std::uint64_t kSlice = 5'000'000;
  if (ns > kSlice) send_output();
  const std::uint64_t until = monotonic_ns() + ns;
  for (std::uint64_t now = monotonic_ns(); now < until && !deadline_passed();
       now = monotonic_ns()) {
    const std::uint64_t slice = std::min(until - now, kSlice);
    const timespec rest{.tv_sec = 0, .tv_nsec = static_cast<long>(slice)};
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
  }
}

}  // namespace plimsoll::worker
