#include "guest/guest_channel.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

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

std::chrono::microseconds elapsed_since(GuestChannel::Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(GuestChannel::Clock::now() - start);
}

// Output, and the end of a run.
class RunSink final : public FrameSink {
 public:
  RunSink(std::uint64_t output_cap, RunReport& report)
      : output_cap_(output_cap), report_(&report) {}

  [[nodiscard]] Step take(const FrameReader::Frame& frame) override {
    if (frame.kind == FrameKind::kDone) {
      const auto done = decode_done(frame.payload);
      if (!done) return Step::kBroken;
      if (report_->fault && done->cause != DoneCause::kEngineFault) return Step::kBroken;
      report_->done = *done;
      return Step::kEnd;
    }
    if (frame.kind == FrameKind::kFault) {
      if (report_->fault) return Step::kBroken;
      report_->fault = decode_fault(frame.payload);
      return report_->fault ? Step::kMore : Step::kBroken;
    }
    if (frame.kind != FrameKind::kStdout && frame.kind != FrameKind::kStderr) return Step::kBroken;
    std::string& stream =
        frame.kind == FrameKind::kStdout ? report_->stdout_bytes : report_->stderr_bytes;
    // The worker cuts at the cap; one that sends more is not what we started.
    if (frame.payload.size() > output_cap_ - stream.size()) return Step::kBroken;
    stream.append(reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size());
    return Step::kMore;
  }

 private:
  std::uint64_t output_cap_;
  RunReport* report_;
};

}  // namespace

bool GuestChannel::await_ready(Clock::time_point until) {
  FrameReader::Frame frame;
  return next_frame(frame, until) == Io::kOk && frame.kind == FrameKind::kReady &&
         frame.payload.empty();
}

GuestChannel::Io GuestChannel::wait(short events, Clock::time_point until) {
  if (stream_ == nullptr) return Io::kGone;
  for (;;) {
    const auto timeout = time_until(until);
    if (!timeout) return Io::kTimeout;
    if ((events & POLLIN) != 0 && stream_->buffered()) return Io::kOk;
    pollfd ready{.fd = stream_->fd(), .events = events, .revents = 0};
    const int count = ::ppoll(&ready, 1, &*timeout, nullptr);
    if (count > 0) return Io::kOk;
    if (count == 0) return Io::kTimeout;
    if (errno != EINTR) return Io::kGone;
  }
}

// Until there is something to read, or it is time to sleep for it.
void GuestChannel::look(Clock::time_point until) {
  if (stream_ == nullptr || stream_->buffered()) return;
  pollfd ready{.fd = stream_->fd(), .events = POLLIN, .revents = 0};
  while (Clock::now() < until && ::poll(&ready, 1, 0) == 0) {
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
    if (stream_ == nullptr) return Io::kGone;
    const StreamStep step = stream_->write(std::span(left).first(count));
    sent += step.bytes;
    if (step.state == StreamState::kWait) {
      if (const Io io = wait(POLLOUT, until); io != Io::kOk) return io;
    } else if (step.state != StreamState::kMoved) {
      return Io::kGone;
    }
  }
  return Io::kOk;
}

// Reads once, if there is something to read.
GuestChannel::Io GuestChannel::read_some() {
  if (stream_ == nullptr) return Io::kGone;
  const StreamStep step = stream_->read(reader_.space());
  switch (step.state) {
    case StreamState::kMoved:
      reader_.filled(step.bytes);
      return Io::kOk;
    case StreamState::kWait:
      return Io::kOk;
    case StreamState::kBroken:
      return Io::kBroken;
    case StreamState::kGone:
      break;
  }
  return Io::kGone;
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
    const iovec rest = part(left);
    const StreamStep step = stream_->write({&rest, 1});
    if (step.state == StreamState::kWait) return Io::kOk;
    if (step.state != StreamState::kMoved) return Io::kGone;
    outgoing_sent_ += step.bytes;
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
    if (stream_ == nullptr) return Io::kGone;
    if (stream_->buffered()) return read_some();
    const auto events = static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array<pollfd, 2> ready = {pollfd{.fd = stream_->fd(), .events = events, .revents = 0},
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

GuestChannel::Io GuestChannel::take_call(std::span<const std::uint8_t> payload, HostCalls* calls) {
  const auto call = decode_call(payload);
  if (calls == nullptr || !call || unanswered_ == kMaxUnanswered) return Io::kBroken;
  ++unanswered_;
  calls->begin(*call);
  return Io::kOk;
}

// Takes the frames that are whole. nullopt: it needs more; kTimeout: a call that is `late`.
std::optional<GuestChannel::Io> GuestChannel::take_frames(FrameSink& sink, HostCalls* calls,
                                                          bool late) {
  for (;;) {
    FrameReader::Frame frame;
    switch (reader_.next(frame)) {
      case FrameReader::Status::kBroken:
        return Io::kBroken;
      case FrameReader::Status::kNeedMore:
        return std::nullopt;
      case FrameReader::Status::kFrame:
        break;
    }
    if (frame.kind == FrameKind::kHostCall) {
      if (late && calls != nullptr) return Io::kTimeout;
      if (const Io io = take_call(frame.payload, calls); io != Io::kOk) return io;
      continue;
    }
    switch (sink.take(frame)) {
      case FrameSink::Step::kMore:
        break;
      case FrameSink::Step::kEnd:
        // Nothing may follow, not even part of a frame: the next word is ours.
        return reader_.empty() ? Io::kOk : Io::kBroken;
      case FrameSink::Step::kBroken:
        return Io::kBroken;
    }
  }
}

GuestChannel::Io GuestChannel::collect(FrameSink& sink, HostCalls* calls, Clock::time_point until) {
  for (;;) {
    if (const auto end = take_frames(sink, calls, false)) return *end;
    Io io = Io::kOk;
    if (calls != nullptr) {
      io = exchange(*calls, until);
    } else if (io = wait(POLLIN, until); io == Io::kOk) {
      io = read_some();
    }
    if (io == Io::kTimeout) return collect_the_rest(sink, calls);
    if (io != Io::kOk) return io;
  }
}

// What the guest wrote by its deadline is its output, also when this side was held up and comes
// late: what is there is taken without waiting, and no more than sockets hold, for one that writes
// without end must not hold us.
GuestChannel::Io GuestChannel::collect_the_rest(FrameSink& sink, HostCalls* calls) {
  constexpr int kMostReads = 64;
  for (int reads = 0; reads < kMostReads && has_more(); ++reads) {
    if (read_some() != Io::kOk) break;
    if (const auto end = take_frames(sink, calls, true)) return *end;
  }
  return Io::kTimeout;
}

// Whether there is something to read now.
bool GuestChannel::has_more() const noexcept {
  if (stream_ == nullptr) return false;
  if (stream_->buffered()) return true;
  pollfd ready{.fd = stream_->fd(), .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) > 0;
}

RunStatus GuestChannel::converse(std::span<const std::string_view> parts, FrameSink& sink,
                                 HostCalls* calls, Clock::time_point until,
                                 std::chrono::microseconds patience) {
  unanswered_ = 0;
  outgoing_.clear();
  outgoing_sent_ = 0;
  reader_.admit_calls(calls != nullptr ? Calls::kAdmitted : Calls::kRefused);
  std::size_t sent = 0;
  Io io = send(parts, until, sent);
  if (io == Io::kGone && sent == 0) return RunStatus::kNotDispatched;
  if (patience.count() != 0) look(std::min(until, Clock::now() + patience));
  if (io == Io::kOk) io = collect(sink, calls, until);
  switch (io) {
    case Io::kOk:
      return RunStatus::kDone;
    case Io::kTimeout:
      return RunStatus::kStopped;
    case Io::kGone:
      return RunStatus::kLost;
    case Io::kBroken:
      break;
  }
  return RunStatus::kBroken;
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
  RunReport report;
  RunSink sink(run.output_cap, report);
  report.status = converse(parts, sink, text.calls, until, text.look);
  report.duration = elapsed_since(started);
  report.calls_left = report.status == RunStatus::kDone && unanswered_ > 0;
  return report;
}

ProjectReport GuestChannel::run_project(const ProjectRunFrame& run, HostCalls* calls,
                                        ProjectCollector& collector, Clock::time_point until) {
  const auto started = Clock::now();
  ProjectReport report{.status = RunStatus::kNotDispatched};
  const auto payload = encode(run);
  if (!payload) return report;
  const auto head = encode_header(
      {.size = static_cast<std::uint32_t>(payload->size()), .kind = FrameKind::kProjectRun});
  const std::array<std::string_view, 2> parts = {text_of(head), *payload};
  report.status = converse(parts, collector, calls, until);
  report.duration = elapsed_since(started);
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
