#include "guest/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace plimsoll::guest {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr FrameKind kKinds[] = {
    FrameKind::kRun,      FrameKind::kProbe,        FrameKind::kReady,       FrameKind::kStdout,
    FrameKind::kStderr,   FrameKind::kDone,         FrameKind::kProbeResult, FrameKind::kHostReply,
    FrameKind::kHostCall, FrameKind::kProjectRun,   FrameKind::kStepBegin,   FrameKind::kStepDone,
    FrameKind::kArtifact, FrameKind::kArtifactData, FrameKind::kProjectDone, FrameKind::kFault};

bool is_known(unsigned number) {
  return std::ranges::any_of(
      kKinds, [number](FrameKind kind) { return static_cast<unsigned>(kind) == number; });
}

Bytes frame_of(FrameKind kind, const Bytes& payload) {
  const auto header =
      encode_header({.size = static_cast<std::uint32_t>(payload.size()), .kind = kind});
  Bytes bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 31 + size);
  return bytes;
}

// What a reader yields of a stream that arrives in the given pieces.
struct Read {
  std::vector<std::pair<FrameKind, Bytes>> frames;
  bool broken = false;
};

Read read_in_pieces(const Bytes& stream, std::size_t piece) {
  Read result;
  FrameReader reader;
  FrameReader::Frame frame;
  std::size_t at = 0;
  for (;;) {
    switch (reader.next(frame)) {
      case FrameReader::Status::kFrame:
        result.frames.emplace_back(frame.kind, Bytes(frame.payload.begin(), frame.payload.end()));
        continue;
      case FrameReader::Status::kBroken:
        result.broken = true;
        return result;
      case FrameReader::Status::kNeedMore:
        break;
    }
    if (at == stream.size()) return result;
    const auto space = reader.space();
    if (space.empty()) {
      ADD_FAILURE() << "no space at byte " << at;
      return result;
    }
    const std::size_t size = std::min({piece, space.size(), stream.size() - at});
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, space.begin());
    reader.filled(size);
    at += size;
  }
}

TEST(FrameHeader, EveryKindRoundTrips) {
  for (const FrameKind kind : kKinds) {
    for (const std::uint32_t size :
         {0U, 1U, 255U, 256U, 65'536U, 0x0102'0304U, std::numeric_limits<std::uint32_t>::max()}) {
      const auto header = decode_header(encode_header({.size = size, .kind = kind}));
      ASSERT_TRUE(header);
      EXPECT_EQ(header->size, size);
      EXPECT_EQ(header->kind, kind);
    }
  }
}

TEST(FrameHeader, TheLayoutIsFixed) {
  const HeaderBytes expected = {4, 3, 2, 1, 17, 0, 0, 0};
  EXPECT_EQ(encode_header({.size = 0x0102'0304, .kind = FrameKind::kStdout}), expected);
}

TEST(FrameHeader, UnknownKindsAreRefused) {
  for (unsigned kind = 0; kind <= 255; ++kind) {
    HeaderBytes bytes{};
    bytes[4] = static_cast<std::uint8_t>(kind);
    EXPECT_EQ(decode_header(bytes).has_value(), is_known(kind)) << kind;
  }
}

TEST(FrameHeader, ReservedBytesAreZero) {
  for (const std::size_t at : {5U, 6U, 7U}) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      HeaderBytes bytes = encode_header({.size = 1, .kind = FrameKind::kDone});
      bytes[at] = static_cast<std::uint8_t>(1U << bit);
      EXPECT_FALSE(decode_header(bytes)) << at << " bit " << bit;
    }
  }
}

TEST(RunFrame, RoundTrips) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  for (const RunHeader& run :
       {RunHeader{},
        RunHeader{.timeout_us = 1, .output_cap = 2, .flood_bytes = 3, .memory_bytes = 4},
        RunHeader{
            .timeout_us = kMax, .output_cap = kMax, .flood_bytes = kMax, .memory_bytes = kMax},
        RunHeader{.timeout_us = 0x0102'0304'0506'0708,
                  .output_cap = 1ULL << 63,
                  .flood_bytes = 1ULL << 32,
                  .memory_bytes = 255},
        RunHeader{.global_bytes = 5, .preamble_bytes = 70'000}}) {
    const auto fixed = encode(run);
    Bytes bytes(fixed.begin(), fixed.end());
    bytes.resize(bytes.size() + run.global_bytes + run.preamble_bytes);
    const auto decoded = decode_run(bytes);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->timeout_us, run.timeout_us);
    EXPECT_EQ(decoded->output_cap, run.output_cap);
    EXPECT_EQ(decoded->flood_bytes, run.flood_bytes);
    EXPECT_EQ(decoded->memory_bytes, run.memory_bytes);
    EXPECT_EQ(decoded->global_bytes, run.global_bytes);
    EXPECT_EQ(decoded->preamble_bytes, run.preamble_bytes);
  }
}

TEST(RunFrame, NeedsItsFixedPartAndBoundsTheCode) {
  const Bytes bytes(kRunHeaderBytes + kMaxCodePayload + 1);
  const std::span<const std::uint8_t> all(bytes);
  for (std::size_t size = 0; size < kRunHeaderBytes; ++size) {
    EXPECT_FALSE(decode_run(all.first(size))) << size;
  }
  EXPECT_TRUE(decode_run(all.first(kRunHeaderBytes)));
  EXPECT_TRUE(decode_run(all.first(kRunHeaderBytes + kMaxCodePayload)));
  EXPECT_FALSE(decode_run(all));
}

TEST(RunFrame, ItsPartsAreInsideItAndBounded) {
  const auto decodes = [](std::uint32_t global_bytes, std::uint32_t preamble_bytes,
                          std::size_t behind) {
    const auto fixed =
        encode(RunHeader{.global_bytes = global_bytes, .preamble_bytes = preamble_bytes});
    Bytes bytes(fixed.begin(), fixed.end());
    bytes.resize(bytes.size() + behind);
    return decode_run(bytes).has_value();
  };
  constexpr auto kGlobal = static_cast<std::uint32_t>(kMaxGlobalBytes);
  constexpr auto kPreamble = static_cast<std::uint32_t>(kMaxPreambleBytes);
  EXPECT_TRUE(decodes(4, 6, 10));
  EXPECT_FALSE(decodes(4, 6, 9));
  EXPECT_FALSE(decodes(0xffff'ffff, 1, 4096));
  EXPECT_FALSE(decodes(1, 0xffff'ffff, 4096));
  EXPECT_TRUE(decodes(kGlobal, kPreamble, kGlobal + kPreamble + kMaxCodePayload));
  EXPECT_FALSE(decodes(kGlobal, kPreamble, kGlobal + kPreamble + kMaxCodePayload + 1));
  EXPECT_FALSE(decodes(kGlobal + 1, 0, kGlobal + 1));
  EXPECT_FALSE(decodes(1, kPreamble + 1, kPreamble + 2));
}

TEST(DoneFrame, RoundTrips) {
  for (unsigned cause = 0; cause <= static_cast<unsigned>(DoneCause::kSignaled); ++cause) {
    for (unsigned flags = 0; flags < 4; ++flags) {
      const Done done{.cause = static_cast<DoneCause>(cause),
                      .stdout_truncated = (flags & 1) != 0,
                      .stderr_truncated = (flags & 2) != 0,
                      .exit_code = static_cast<std::uint8_t>(255 - cause),
                      .trap = static_cast<std::uint8_t>(200 + cause),
                      .engine_ns = 0x0102'0304'0506'0708ULL + flags};
      const auto decoded = decode_done(encode(done));
      ASSERT_TRUE(decoded);
      EXPECT_EQ(decoded->cause, done.cause);
      EXPECT_EQ(decoded->stdout_truncated, done.stdout_truncated);
      EXPECT_EQ(decoded->stderr_truncated, done.stderr_truncated);
      EXPECT_EQ(decoded->exit_code, done.exit_code);
      EXPECT_EQ(decoded->trap, done.trap);
      EXPECT_EQ(decoded->engine_ns, done.engine_ns);
    }
  }
}

TEST(DoneFrame, HasOneSize) {
  const Bytes bytes(2 * kDoneBytes);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_EQ(decode_done(std::span(bytes).first(size)).has_value(), size == kDoneBytes) << size;
  }
}

TEST(DoneFrame, EveryFieldIsChecked) {
  const auto accepted = [](std::size_t at, unsigned value) {
    auto bytes = encode(Done{});
    bytes[at] = static_cast<std::uint8_t>(value);
    return decode_done(bytes).has_value();
  };
  for (unsigned value = 0; value <= 255; ++value) {
    EXPECT_EQ(accepted(0, value), value <= 5) << "cause " << value;
    for (const std::size_t flag : {1U, 2U}) {
      EXPECT_EQ(accepted(flag, value), value <= 1) << "flag " << flag << " " << value;
    }
    for (const std::size_t any : {3U, 4U}) EXPECT_TRUE(accepted(any, value)) << any;
    for (const std::size_t zero : {5U, 6U, 7U}) {
      EXPECT_EQ(accepted(zero, value), value == 0) << zero << " " << value;
    }
  }
}

TEST(FaultFrame, RoundTrips) {
  for (unsigned reason = 1; reason <= static_cast<unsigned>(FaultReason::kUnknownExit); ++reason) {
    const Fault fault{.reason = static_cast<FaultReason>(reason),
                      .detail = 0x0102'0304U + reason,
                      .rip = 0x1112'1314'1516'1718ULL,
                      .cr2 = 0x2122'2324'2526'2728ULL};
    const auto decoded = decode_fault(encode(fault));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->reason, fault.reason);
    EXPECT_EQ(decoded->detail, fault.detail);
    EXPECT_EQ(decoded->rip, fault.rip);
    EXPECT_EQ(decoded->cr2, fault.cr2);
  }
}

TEST(FaultFrame, EverySizeReasonAndReservedByteIsChecked) {
  const Bytes bytes(2 * kFaultBytes, 0);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_FALSE(decode_fault(std::span(bytes).first(size))) << size;  // there is no reason 0
  }
  for (unsigned value = 0; value <= 255; ++value) {
    for (std::size_t at = 0; at < 4; ++at) {
      auto fault = encode(Fault{});
      fault[at] = static_cast<std::uint8_t>(value);
      const bool fits = at == 0 ? value >= 1 && value <= 11 : value == 0;
      EXPECT_EQ(decode_fault(fault).has_value(), fits) << at << " " << value;
    }
  }
}

TEST(FrameReader, AStreamReadsTheSameHoweverItIsSplit) {
  const std::vector<std::pair<FrameKind, Bytes>> frames = {{FrameKind::kReady, {}},
                                                           {FrameKind::kStdout, pattern(1)},
                                                           {FrameKind::kStderr, pattern(40)},
                                                           {FrameKind::kStdout, {}},
                                                           {FrameKind::kDone, pattern(kDoneBytes)}};
  Bytes stream;
  for (const auto& [kind, payload] : frames) {
    const Bytes bytes = frame_of(kind, payload);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    const Read read = read_in_pieces(stream, piece);
    EXPECT_EQ(read.frames, frames) << "in pieces of " << piece;
    EXPECT_FALSE(read.broken);
  }
}

TEST(FrameReader, PayloadsUpToTheGreatestPassAndNoGreaterOne) {
  for (const std::size_t size : {std::size_t{0}, kMaxGuestPayload - 1, kMaxGuestPayload}) {
    Bytes stream;
    for (int i = 0; i < 5; ++i) {
      const Bytes bytes = frame_of(FrameKind::kStdout, pattern(size));
      stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    for (const std::size_t piece : {std::size_t{7'919}, std::size_t{65'536}, stream.size()}) {
      const Read read = read_in_pieces(stream, piece);
      EXPECT_FALSE(read.broken);
      ASSERT_EQ(read.frames.size(), 5U) << size << " in pieces of " << piece;
      for (const auto& [kind, payload] : read.frames) EXPECT_EQ(payload, pattern(size));
    }
  }
}

TEST(FrameReader, ATooLargeFrameIsRefusedByItsHeaderAlone) {
  for (const std::uint32_t size : {static_cast<std::uint32_t>(kMaxGuestPayload) + 1,
                                   std::numeric_limits<std::uint32_t>::max()}) {
    const auto header = encode_header({.size = size, .kind = FrameKind::kStdout});
    const Read read = read_in_pieces(Bytes(header.begin(), header.end()), 1);
    EXPECT_TRUE(read.broken) << size;
    EXPECT_TRUE(read.frames.empty());
  }
}

TEST(FrameReader, FramesBeforeABrokenOneAreStillRead) {
  Bytes stream = frame_of(FrameKind::kStdout, pattern(3));
  const Bytes broken = {0, 0, 0, 0, 99, 0, 0, 0};
  stream.insert(stream.end(), broken.begin(), broken.end());
  const Read read = read_in_pieces(stream, stream.size());
  EXPECT_EQ(read.frames.size(), 1U);
  EXPECT_TRUE(read.broken);
}

TEST(FrameReader, AHalfFrameIsNoFrame) {
  const Bytes whole = frame_of(FrameKind::kStdout, pattern(20));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Read read =
        read_in_pieces(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), 64);
    EXPECT_TRUE(read.frames.empty()) << size;
    EXPECT_FALSE(read.broken) << size;
  }
}

}  // namespace
}  // namespace plimsoll::guest
