#include "guest/frame.h"

#include <algorithm>
#include <cstring>

#include "guest/little_endian.h"

namespace plimsoll::guest {

namespace {

bool known(std::uint8_t kind) noexcept {
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::kRun:
    case FrameKind::kProbe:
    case FrameKind::kHostReply:
    case FrameKind::kProjectRun:
    case FrameKind::kReady:
    case FrameKind::kStdout:
    case FrameKind::kStderr:
    case FrameKind::kDone:
    case FrameKind::kProbeResult:
    case FrameKind::kHostCall:
    case FrameKind::kStepBegin:
    case FrameKind::kStepDone:
    case FrameKind::kArtifact:
    case FrameKind::kArtifactData:
    case FrameKind::kProjectDone:
    case FrameKind::kFault:
      return true;
  }
  return false;
}

}  // namespace

HeaderBytes encode_header(FrameHeader header) noexcept {
  HeaderBytes bytes{};
  put(bytes.data(), header.size);
  bytes[4] = static_cast<std::uint8_t>(header.kind);
  return bytes;
}

std::optional<FrameHeader> decode_header(
    std::span<const std::uint8_t, kHeaderBytes> bytes) noexcept {
  if (!known(bytes[4]) || bytes[5] != 0 || bytes[6] != 0 || bytes[7] != 0) return std::nullopt;
  return FrameHeader{.size = get<std::uint32_t>(bytes.data()),
                     .kind = static_cast<FrameKind>(bytes[4])};
}

std::array<std::uint8_t, kRunHeaderBytes> encode(const RunHeader& run) noexcept {
  std::array<std::uint8_t, kRunHeaderBytes> bytes{};
  put(bytes.data(), run.timeout_us);
  put(bytes.data() + 8, run.output_cap);
  put(bytes.data() + 16, run.flood_bytes);
  put(bytes.data() + 24, run.memory_bytes);
  put(bytes.data() + 32, run.global_bytes);
  put(bytes.data() + 36, run.preamble_bytes);
  return bytes;
}

std::optional<RunHeader> decode_run(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() < kRunHeaderBytes) return std::nullopt;
  const auto global_bytes = get<std::uint32_t>(payload.data() + 32);
  const auto preamble_bytes = get<std::uint32_t>(payload.data() + 36);
  if (global_bytes > kMaxGlobalBytes || preamble_bytes > kMaxPreambleBytes) return std::nullopt;
  const std::size_t before_code = kRunHeaderBytes + global_bytes + preamble_bytes;
  if (payload.size() < before_code || payload.size() - before_code > kMaxCodePayload) {
    return std::nullopt;
  }
  return RunHeader{.timeout_us = get<std::uint64_t>(payload.data()),
                   .output_cap = get<std::uint64_t>(payload.data() + 8),
                   .flood_bytes = get<std::uint64_t>(payload.data() + 16),
                   .memory_bytes = get<std::uint64_t>(payload.data() + 24),
                   .global_bytes = global_bytes,
                   .preamble_bytes = preamble_bytes};
}

std::array<std::uint8_t, kHostCallHeadBytes> encode_head(const HostCall& call) noexcept {
  std::array<std::uint8_t, kHostCallHeadBytes> bytes{};
  put(bytes.data(), call.id);
  bytes[4] = static_cast<std::uint8_t>(call.method.size());
  bytes[5] = call.has_body ? 1 : 0;
  put(bytes.data() + 8, static_cast<std::uint32_t>(call.target.size()));
  return bytes;
}

std::optional<HostCall> decode_call(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() < kHostCallHeadBytes) return std::nullopt;
  const std::size_t method = payload[4];
  const std::size_t target = get<std::uint32_t>(payload.data() + 8);
  if (payload[5] > 1 || payload[6] != 0 || payload[7] != 0) return std::nullopt;
  if (method > kMaxCallMethod + 1 || target > kMaxCallTarget + 1) return std::nullopt;
  const std::size_t before_body = kHostCallHeadBytes + method + target;
  if (payload.size() < before_body) return std::nullopt;
  const std::size_t body = payload.size() - before_body;
  if (body > kMaxCallBody + 1 || (payload[5] == 0 && body != 0)) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  return HostCall{.id = get<std::uint32_t>(payload.data()),
                  .has_body = payload[5] == 1,
                  .method = text.substr(kHostCallHeadBytes, method),
                  .target = text.substr(kHostCallHeadBytes + method, target),
                  .body = text.substr(before_body)};
}

std::array<std::uint8_t, kHostReplyHeadBytes> encode(const HostReplyHead& reply) noexcept {
  std::array<std::uint8_t, kHostReplyHeadBytes> bytes{};
  put(bytes.data(), reply.id);
  put(bytes.data() + 4, reply.status);
  bytes[6] = reply.refused ? 1 : 0;
  put(bytes.data() + 8, reply.type_bytes);
  put(bytes.data() + 12, reply.body_bytes);
  return bytes;
}

std::optional<HostReplyHead> decode_reply_head(
    std::span<const std::uint8_t, kHostReplyHeadBytes> bytes) noexcept {
  const HostReplyHead reply{.id = get<std::uint32_t>(bytes.data()),
                            .status = get<std::uint16_t>(bytes.data() + 4),
                            .refused = bytes[6] == 1,
                            .type_bytes = get<std::uint32_t>(bytes.data() + 8),
                            .body_bytes = get<std::uint32_t>(bytes.data() + 12)};
  if (bytes[6] > 1 || bytes[7] != 0) return std::nullopt;
  if (reply.type_bytes > kMaxReplyType || reply.body_bytes > kMaxReplyBody) return std::nullopt;
  return reply;
}

std::array<std::uint8_t, kDoneBytes> encode(const Done& done) noexcept {
  std::array<std::uint8_t, kDoneBytes> bytes{};
  bytes[0] = static_cast<std::uint8_t>(done.cause);
  bytes[1] = done.stdout_truncated ? 1 : 0;
  bytes[2] = done.stderr_truncated ? 1 : 0;
  bytes[3] = done.exit_code;
  bytes[4] = done.trap;
  put(bytes.data() + 8, done.engine_ns);
  return bytes;
}

std::optional<Done> decode_done(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kDoneBytes) return std::nullopt;
  if (payload[0] > static_cast<std::uint8_t>(DoneCause::kSignaled)) return std::nullopt;
  if (payload[1] > 1 || payload[2] > 1) return std::nullopt;
  if (payload[5] != 0 || payload[6] != 0 || payload[7] != 0) return std::nullopt;
  return Done{.cause = static_cast<DoneCause>(payload[0]),
              .stdout_truncated = payload[1] == 1,
              .stderr_truncated = payload[2] == 1,
              .exit_code = payload[3],
              .trap = payload[4],
              .engine_ns = get<std::uint64_t>(payload.data() + 8)};
}

std::array<std::uint8_t, kFaultBytes> encode(const Fault& fault) noexcept {
  std::array<std::uint8_t, kFaultBytes> bytes{};
  bytes[0] = static_cast<std::uint8_t>(fault.reason);
  put(bytes.data() + 4, fault.detail);
  put(bytes.data() + 8, fault.rip);
  put(bytes.data() + 16, fault.cr2);
  return bytes;
}

std::optional<Fault> decode_fault(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kFaultBytes) return std::nullopt;
  if (payload[0] < static_cast<std::uint8_t>(FaultReason::kShutdown) ||
      payload[0] > static_cast<std::uint8_t>(FaultReason::kUnknownExit)) {
    return std::nullopt;
  }
  if (payload[1] != 0 || payload[2] != 0 || payload[3] != 0) return std::nullopt;
  return Fault{.reason = static_cast<FaultReason>(payload[0]),
               .detail = get<std::uint32_t>(payload.data() + 4),
               .rip = get<std::uint64_t>(payload.data() + 8),
               .cr2 = get<std::uint64_t>(payload.data() + 16)};
}

std::span<std::uint8_t> FrameReader::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < wanted_) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < 2 * wanted_) buffer_.resize(2 * wanted_);
  return std::span(buffer_).subspan(end_);
}

FrameReader::Status FrameReader::next(Frame& frame) noexcept {
  if (end_ - begin_ < kHeaderBytes) return Status::kNeedMore;
  const auto header = decode_header(
      std::span<const std::uint8_t, kHeaderBytes>(buffer_.data() + begin_, kHeaderBytes));
  if (!header) return Status::kBroken;
  const bool is_call = header->kind == FrameKind::kHostCall;
  if (is_call && calls_ == Calls::kRefused) return Status::kBroken;
  if (header->size > (is_call ? kMaxHostCallPayload : kMaxGuestPayload)) return Status::kBroken;
  if (end_ - begin_ - kHeaderBytes < header->size) {
    wanted_ = kHeaderBytes + std::max<std::size_t>(header->size, kMaxGuestPayload);
    return Status::kNeedMore;
  }
  frame.kind = header->kind;
  frame.payload = std::span(buffer_).subspan(begin_ + kHeaderBytes, header->size);
  begin_ += kHeaderBytes + header->size;
  wanted_ = kHeaderBytes + kMaxGuestPayload;
  return Status::kFrame;
}

}  // namespace plimsoll::guest
