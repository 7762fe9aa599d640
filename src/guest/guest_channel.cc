#include "guest/guest_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace plimsoll::guest {

namespace {

iovec part(std::span<const std::uint8_t> bytes) noexcept {
  return {.iov_base = const_cast<std::uint8_t*>(bytes.data()), .iov_len = bytes.size()};
}

}  // namespace

bool GuestChannel::await_ready(Clock::time_point until) {
  FrameReader::Frame frame;
  return next_frame(frame, until) == Io::kOk && frame.kind == FrameKind::kReady &&
         frame.payload.empty();
}

GuestChannel::Io GuestChannel::wait(short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - Clock::now());
    if (left.count() <= 0) return Io::kTimeout;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec timeout{.tv_sec = left.count() / kSecond, .tv_nsec = left.count() % kSecond};
    pollfd ready{.fd = socket_.get(), .events = events, .revents = 0};
    const int count = ::ppoll(&ready, 1, &timeout, nullptr);
    if (count > 0) return Io::kOk;
    if (count == 0) return Io::kTimeout;
    if (errno != EINTR) return Io::kGone;
  }
}

GuestChannel::Io GuestChannel::send(std::span<const std::uint8_t> head, std::string_view body,
                                    Clock::time_point until, std::size_t& sent) {
  sent = 0;
  const std::size_t whole = head.size() + body.size();
  const std::span<const std::uint8_t> text(reinterpret_cast<const std::uint8_t*>(body.data()),
                                           body.size());
  while (sent < whole) {
    std::array<iovec, 2> parts = {part(head.subspan(std::min(sent, head.size()))),
                                  part(text.subspan(sent - std::min(sent, head.size())))};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
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
    const auto space = reader_.space();
    const ssize_t got = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (got > 0) {
      reader_.filled(static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Io::kGone;
    }
  }
}

GuestChannel::Io GuestChannel::collect(const RunHeader& run, Clock::time_point until,
                                       RunReport& report) {
  for (;;) {
    FrameReader::Frame frame;
    if (const Io io = next_frame(frame, until); io != Io::kOk) return io;
    switch (frame.kind) {
      case FrameKind::kStdout:
      case FrameKind::kStderr: {
        std::string& stream =
            frame.kind == FrameKind::kStdout ? report.stdout_bytes : report.stderr_bytes;
        // The worker cuts at the cap; one that sends more is not what we started.
        if (frame.payload.size() > run.output_cap - stream.size()) return Io::kBroken;
        stream.append(reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size());
        break;
      }
      case FrameKind::kDone: {
        const auto done = decode_done(frame.payload);
        if (!done) return Io::kBroken;
        report.done = *done;
        // Nothing may follow, not even part of a frame: the next word is ours.
        return reader_.empty() ? Io::kOk : Io::kBroken;
      }
      default:
        return Io::kBroken;
    }
  }
}

RunReport GuestChannel::run(const RunHeader& run, std::string_view code, Clock::time_point until) {
  const auto started = Clock::now();
  std::array<std::uint8_t, kHeaderBytes + kRunHeaderBytes> head{};
  const auto frame = encode_header(
      {.size = static_cast<std::uint32_t>(kRunHeaderBytes + code.size()), .kind = FrameKind::kRun});
  const auto fields = encode(run);
  std::copy(frame.begin(), frame.end(), head.begin());
  std::copy(fields.begin(), fields.end(), head.begin() + kHeaderBytes);

  RunReport report;
  std::size_t sent = 0;
  Io io = send(head, code, until, sent);
  if (io == Io::kGone && sent == 0) {
    report.status = RunStatus::kNotDispatched;
    return report;
  }
  if (io == Io::kOk) io = collect(run, until, report);
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
  std::size_t sent = 0;
  const std::string_view body(reinterpret_cast<const char*>(&act), 1);
  FrameReader::Frame frame;
  if (send(head, body, until, sent) != Io::kOk || next_frame(frame, until) != Io::kOk) {
    return std::nullopt;
  }
  if (frame.kind != FrameKind::kProbeResult || frame.payload.size() != 1) {
    return std::nullopt;
  }
  return frame.payload[0];
}

}  // namespace plimsoll::guest
