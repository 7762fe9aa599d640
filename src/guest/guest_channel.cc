#include "guest/guest_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace plimsoll::guest {

namespace {

iovec part(std::string_view bytes) noexcept {
  return {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
}

template <std::size_t N>
std::string_view text_of(const std::array<std::uint8_t, N>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<timespec> time_until(GuestChannel::Clock::time_point until) noexcept {
  const auto left =
      std::chrono::duration_cast<std::chrono::nanoseconds>(until - GuestChannel::Clock::now());
  if (left.count() <= 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return timespec{.tv_sec = left.count() / kSecond, .tv_nsec = left.count() % kSecond};
}

std::string encoded(HostAnswer answer) {
  if (answer.content_type.size() > kMaxReplyType) answer.content_type.resize(kMaxReplyType);
  if (answer.body.size() > kMaxReplyBody) answer.body.resize(kMaxReplyBody);
  const HostReplyHead head{.id = answer.id,
                           .status = answer.status,
                           .refused = answer.refused,
                           .type_bytes = static_cast<std::uint32_t>(answer.content_type.size()),
                           .body_bytes = static_cast<std::uint32_t>(answer.body.size())};
  const std::size_t size = kHostReplyHeadBytes + answer.content_type.size() + answer.body.size();
  std::string frame;
  frame.reserve(kHeaderBytes + size);
  frame += text_of(
      encode_header({.size = static_cast<std::uint32_t>(size), .kind = FrameKind::kHostReply}));
  frame += text_of(encode(head));
  frame += answer.content_type;
  frame += answer.body;
  return frame;
}

}  // namespace

bool GuestChannel::await_ready(Clock::time_point until) {
  FrameReader::Frame frame;
  return next_frame(frame, until) == Io::kOk && frame.kind == FrameKind::kReady &&
         frame.payload.empty();
}

GuestChannel::Io GuestChannel::wait(short events, Clock::time_point until) {
  for (;;) {
    const auto timeout = time_until(until);
    if (!timeout) return Io::kTimeout;
    pollfd ready{.fd = socket_.get(), .events = events, .revents = 0};
    const int count = ::ppoll(&ready, 1, &*timeout, nullptr);
    if (count > 0) return Io::kOk;
    if (count == 0) return Io::kTimeout;
    if (errno != EINTR) return Io::kGone;
  }
}

GuestChannel::Io GuestChannel::send(std::span<const std::string_view> parts,
                                    Clock::time_point until, std::size_t& sent) {
  sent = 0;
  std::size_t whole = 0;
  for (const std::string_view bytes : parts) whole += bytes.size();
  while (sent < whole) {
    std::array<iovec, 4> left{};
    std::size_t count = 0;
    std::size_t skip = sent;
    for (const std::string_view bytes : parts.first(std::min(parts.size(), left.size()))) {
      const std::size_t gone = std::min(skip, bytes.size());
      skip -= gone;
      left[count++] = part(bytes.substr(gone));
    }
    msghdr message{};
    message.msg_iov = left.data();
    message.msg_iovlen = count;
    const ssize_t wrote = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote >= 0) {
      sent += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      if (const Io io = wait(POLLOUT, until); io != Io::kOk) return io;
    } else if (errno != EINTR) {
      return Io::kGone;
    }
  }
  return Io::kOk;
}

// Reads once, if there is something to read.
GuestChannel::Io GuestChannel::read_some() {
  const auto space = reader_.space();
  const ssize_t got = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
  if (got > 0) {
    reader_.filled(static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    return Io::kGone;
  }
  return Io::kOk;
}

GuestChannel::Io GuestChannel::next_frame(FrameReader::Frame& frame, Clock::time_point until) {
  for (;;) {
    switch (reader_.next(frame)) {
      case FrameReader::Status::kFrame:
        return Io::kOk;
      case FrameReader::Status::kBroken:
        return Io::kBroken;
      case FrameReader::Status::kNeedMore:
        break;
    }
    if (const Io io = wait(POLLIN, until); io != Io::kOk) return io;
    if (const Io io = read_some(); io != Io::kOk) return io;
  }
}

void GuestChannel::queue_answers(HostCalls& calls) {
  while (auto answer = calls.next_answer()) outgoing_.push_back(encoded(std::move(*answer)));
}

GuestChannel::Io GuestChannel::write_answers() {
  while (!outgoing_.empty()) {
    const std::string_view left = std::string_view(outgoing_.front()).substr(outgoing_sent_);
    const ssize_t wrote =
        ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0) return errno == EAGAIN || errno == EINTR ? Io::kOk : Io::kGone;
    outgoing_sent_ += static_cast<std::size_t>(wrote);
    if (outgoing_sent_ < outgoing_.front().size()) continue;
    outgoing_.pop_front();
    outgoing_sent_ = 0;
    if (unanswered_ > 0) --unanswered_;
  }
  return Io::kOk;
}

// Waits for the guest and for answers at once, and never for one alone: a guest that writes while
// it is written to must not stop either side.
GuestChannel::Io GuestChannel::exchange(HostCalls& calls, Clock::time_point until) {
  for (;;) {
    const auto timeout = time_until(until);
    if (!timeout) return Io::kTimeout;
    const auto events = static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array<pollfd, 2> ready = {pollfd{.fd = socket_.get(), .events = events, .revents = 0},
                                   pollfd{.fd = calls.ready_fd(), .events = POLLIN, .revents = 0}};
    const int count = ::ppoll(ready.data(), ready.size(), &*timeout, nullptr);
    if (count == 0) return Io::kTimeout;
    if (count < 0) {
      if (errno == EINTR) continue;
      return Io::kGone;
    }
    if (ready[1].revents != 0) queue_answers(calls);
    if (!outgoing_.empty()) {
      if (const Io io = write_answers(); io != Io::kOk) return io;
    }
    if (ready[0].revents != 0) return read_some();
  }
}

GuestChannel::Io GuestChannel::take(const FrameReader::Frame& frame, const RunHeader& run,
                                    HostCalls* calls, RunReport& report) {
  switch (frame.kind) {
    case FrameKind::kStdout:
    case FrameKind::kStderr: {
      std::string& stream =
          frame.kind == FrameKind::kStdout ? report.stdout_bytes : report.stderr_bytes;
      // The worker cuts at the cap; one that sends more is not what we started.
      if (frame.payload.size() > run.output_cap - stream.size()) return Io::kBroken;
      stream.append(reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size());
      return Io::kOk;
    }
    case FrameKind::kHostCall: {
      const auto call = decode_call(frame.payload);
      if (calls == nullptr || !call || unanswered_ == kMaxUnanswered) return Io::kBroken;
      ++unanswered_;
      calls->begin(*call);
      return Io::kOk;
    }
    case FrameKind::kFault: {
      if (report.fault) return Io::kBroken;
      report.fault = decode_fault(frame.payload);
      return report.fault ? Io::kOk : Io::kBroken;
    }
    default:
      return Io::kBroken;
  }
}

GuestChannel::Io GuestChannel::collect(const RunHeader& run, HostCalls* calls,
                                       Clock::time_point until, RunReport& report) {
  for (;;) {
    FrameReader::Frame frame;
    switch (reader_.next(frame)) {
      case FrameReader::Status::kBroken:
        return Io::kBroken;
      case FrameReader::Status::kNeedMore: {
        Io io = Io::kOk;
        if (calls != nullptr) {
          io = exchange(*calls, until);
        } else if (io = wait(POLLIN, until); io == Io::kOk) {
          io = read_some();
        }
        if (io != Io::kOk) return io;
        continue;
      }
      case FrameReader::Status::kFrame:
        break;
    }
    if (frame.kind == FrameKind::kDone) {
      const auto done = decode_done(frame.payload);
      if (!done) return Io::kBroken;
      if (report.fault && done->cause != DoneCause::kEngineFault) return Io::kBroken;
      report.done = *done;
      report.calls_left = unanswered_ > 0;
      // Nothing may follow, not even part of a frame: the next word is ours.
      return reader_.empty() ? Io::kOk : Io::kBroken;
    }
    if (const Io io = take(frame, run, calls, report); io != Io::kOk) return io;
  }
}

RunReport GuestChannel::run(RunHeader run, const RunText& text, Clock::time_point until) {
  const auto started = Clock::now();
  run.global_bytes = static_cast<std::uint32_t>(text.global.size());
  run.preamble_bytes = static_cast<std::uint32_t>(text.preamble.size());
  std::array<std::uint8_t, kHeaderBytes + kRunHeaderBytes> head{};
  const std::size_t size =
      kRunHeaderBytes + text.global.size() + text.preamble.size() + text.code.size();
  const auto frame =
      encode_header({.size = static_cast<std::uint32_t>(size), .kind = FrameKind::kRun});
  const auto fields = encode(run);
  std::copy(frame.begin(), frame.end(), head.begin());
  std::copy(fields.begin(), fields.end(), head.begin() + kHeaderBytes);
  const std::array<std::string_view, 4> parts = {text_of(head), text.global, text.preamble,
                                                 text.code};

  unanswered_ = 0;
  outgoing_.clear();
  outgoing_sent_ = 0;
  reader_.admit_calls(text.calls != nullptr ? Calls::kAdmitted : Calls::kRefused);
  RunReport report;
  std::size_t sent = 0;
  Io io = send(parts, until, sent);
  if (io == Io::kGone && sent == 0) {
    report.status = RunStatus::kNotDispatched;
    return report;
  }
  if (io == Io::kOk) io = collect(run, text.calls, until, report);
  report.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started);
  switch (io) {
    case Io::kOk:
      report.status = RunStatus::kDone;
      break;
    case Io::kTimeout:
      report.status = RunStatus::kStopped;
      break;
    case Io::kGone:
      report.status = RunStatus::kLost;
      break;
    case Io::kBroken:
      report.status = RunStatus::kBroken;
      break;
  }
  return report;
}

std::optional<std::uint8_t> GuestChannel::probe(std::uint8_t act, Clock::time_point until) {
  const auto head = encode_header({.size = 1, .kind = FrameKind::kProbe});
  const std::array<std::string_view, 2> parts = {
      text_of(head), std::string_view(reinterpret_cast<const char*>(&act), 1)};
  std::size_t sent = 0;
  FrameReader::Frame frame;
  if (send(parts, until, sent) != Io::kOk || next_frame(frame, until) != Io::kOk) {
    return std::nullopt;
  }
  if (frame.kind != FrameKind::kProbeResult || frame.payload.size() != 1) {
    return std::nullopt;
  }
  return frame.payload[0];
}

}  // namespace plimsoll::guest
