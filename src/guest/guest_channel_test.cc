// The guest's end is written here by hand: what a hostile worker could send, and when.
#include "guest/guest_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace plimsoll::guest {
namespace {

using Clock = GuestChannel::Clock;
using Millis = std::chrono::milliseconds;
constexpr std::chrono::seconds kPatience{5};

constexpr RunHeader kRun{.timeout_us = 1, .output_cap = 10, .flood_bytes = 3, .memory_bytes = 4};

std::string frame_of(FrameKind kind, std::string_view payload) {
  const auto header =
      encode_header({.size = static_cast<std::uint32_t>(payload.size()), .kind = kind});
  return std::string(header.begin(), header.end()).append(payload);
}

std::string done_frame(const Done& done = {}) {
  const auto payload = encode(done);
  return frame_of(FrameKind::kDone, std::string(payload.begin(), payload.end()));
}

// A channel, and the guest's end of it.
struct Ends {
  Ends() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    channel_.emplace(UniqueFd(ends[0]));
    guest_ = UniqueFd(ends[1]);
  }

  // What the guest will have sent by the time the host looks.
  void guest_sends(std::string_view bytes) {
    ASSERT_EQ(::send(guest_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void guest_ends() { guest_.reset(); }
  // No more will come, but what the host sends is still taken.
  void guest_is_silent() { ASSERT_EQ(::shutdown(guest_.get(), SHUT_WR), 0); }

  std::string what_the_guest_got() {
    std::string bytes(1 << 12, '\0');
    const ssize_t got = ::recv(guest_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

  RunReport run(std::string_view code = "1", const RunHeader& header = kRun,
                Clock::duration patience = kPatience) {
    return channel_->run(header, {.code = code}, Clock::now() + patience);
  }

  RunStatus status_after(std::string_view bytes) {
    guest_sends(bytes);
    guest_is_silent();
    return run().status;
  }

  std::optional<GuestChannel> channel_;
  UniqueFd guest_;
};

class GuestChannelTest : public ::testing::Test, public Ends {};

TEST_F(GuestChannelTest, ARunIsOneFrameWithItsFieldsAndTheCode) {
  guest_sends(done_frame());
  EXPECT_EQ(run("code").status, RunStatus::kDone);
  const auto fields = encode(kRun);
  EXPECT_EQ(what_the_guest_got(),
            frame_of(FrameKind::kRun, std::string(fields.begin(), fields.end()) + "code"));
}

TEST_F(GuestChannelTest, OutputAndEndAreTheGuests) {
  guest_sends(frame_of(FrameKind::kStdout, "ab") + frame_of(FrameKind::kStderr, "12") +
              frame_of(FrameKind::kStdout, std::string_view("\0c", 2)) +
              done_frame({.cause = DoneCause::kTimedOut, .stderr_truncated = true, .trap = 5}));
  const RunReport report = run();
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.stdout_bytes, std::string_view("ab\0c", 4));
  EXPECT_EQ(report.stderr_bytes, "12");
  EXPECT_EQ(report.done.cause, DoneCause::kTimedOut);
  EXPECT_TRUE(report.done.stderr_truncated);
  EXPECT_EQ(report.done.trap, 5);
}

TEST_F(GuestChannelTest, OneRunFollowsAnother) {
  for (int i = 0; i < 3; ++i) {
    guest_sends(frame_of(FrameKind::kStdout, std::to_string(i)) + done_frame());
    EXPECT_EQ(run().stdout_bytes, std::to_string(i));
  }
}

TEST_F(GuestChannelTest, TheLargestCodeIsSentWhole) {
  std::size_t got = 0;
  std::jthread guest([this, &got] {
    std::vector<char> buffer(1 << 16);
    while (got < kHeaderBytes + kRunHeaderBytes + kMaxCodePayload) {
      const ssize_t size = ::recv(guest_.get(), buffer.data(), buffer.size(), 0);
      if (size <= 0) return;
      got += static_cast<std::size_t>(size);
    }
    guest_sends(done_frame());
  });
  EXPECT_EQ(run(std::string(kMaxCodePayload, 'x')).status, RunStatus::kDone);
  guest.join();
  EXPECT_EQ(got, kHeaderBytes + kRunHeaderBytes + kMaxCodePayload);
}

TEST_F(GuestChannelTest, OutputUpToTheCapIsKeptAndAByteMoreIsBroken) {
  for (const FrameKind kind : {FrameKind::kStdout, FrameKind::kStderr}) {
    guest_sends(frame_of(kind, "1234567890") + frame_of(kind, "") + done_frame());
    EXPECT_EQ(run().status, RunStatus::kDone);
  }
  guest_sends(frame_of(FrameKind::kStdout, "1234567890") + frame_of(FrameKind::kStderr, "1") +
              frame_of(FrameKind::kStdout, "x") + done_frame());
  const RunReport report = run();
  EXPECT_EQ(report.status, RunStatus::kBroken);
  EXPECT_EQ(report.stdout_bytes, "1234567890");
}

TEST_F(GuestChannelTest, ACapOfZeroKeepsNothing) {
  guest_sends(frame_of(FrameKind::kStdout, "x") + done_frame());
  EXPECT_EQ(run("1", RunHeader{}).status, RunStatus::kBroken);
}

TEST_F(GuestChannelTest, FramesThatDoNotBelongInARunAreBroken) {
  for (const FrameKind kind :
       {FrameKind::kReady, FrameKind::kProbeResult, FrameKind::kRun, FrameKind::kProbe}) {
    Ends fresh;
    EXPECT_EQ(fresh.status_after(frame_of(kind, "") + done_frame()), RunStatus::kBroken)
        << static_cast<int>(kind);
  }
}

TEST_F(GuestChannelTest, AMalformedHeaderIsBroken) {
  for (const std::string_view bytes :
       {std::string_view("\0\0\0\0\x63\0\0\0", 8), std::string_view("\0\0\0\0\x11\0\0\x01", 8),
        std::string_view("\x01\0\x01\0\x11\0\0\0", 8),
        std::string_view("\xff\xff\xff\xff\x11\0\0\0", 8)}) {
    Ends fresh;
    EXPECT_EQ(fresh.status_after(bytes), RunStatus::kBroken);
  }
}

TEST_F(GuestChannelTest, AMalformedEndIsBroken) {
  std::string bad_cause = done_frame();
  bad_cause[kHeaderBytes] = 6;
  std::string bad_flag = done_frame();
  bad_flag[kHeaderBytes + 1] = 2;
  for (const std::string& bytes : {bad_cause, bad_flag, frame_of(FrameKind::kDone, ""),
                                   frame_of(FrameKind::kDone, std::string(kDoneBytes + 1, '\0'))}) {
    Ends fresh;
    EXPECT_EQ(fresh.status_after(bytes), RunStatus::kBroken);
  }
}

TEST_F(GuestChannelTest, AFaultComesOnceAndOnlyBeforeAnEngineFault) {
  const auto bytes = encode(Fault{.reason = FaultReason::kShutdown, .rip = 7, .cr2 = 9});
  const std::string fault = frame_of(FrameKind::kFault, std::string(bytes.begin(), bytes.end()));
  guest_sends(frame_of(FrameKind::kStdout, "a") + fault +
              done_frame({.cause = DoneCause::kEngineFault}));
  const RunReport report = run();
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.stdout_bytes, "a");
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->rip, 7U);
  EXPECT_EQ(report.fault->cr2, 9U);
  for (const std::string& stream :
       {fault + done_frame(), fault + fault + done_frame({.cause = DoneCause::kEngineFault}),
        frame_of(FrameKind::kFault, "") + done_frame({.cause = DoneCause::kEngineFault})}) {
    Ends broken;
    EXPECT_EQ(broken.status_after(stream), RunStatus::kBroken);
  }
}

TEST_F(GuestChannelTest, NothingMayFollowTheEnd) {
  const std::string more = frame_of(FrameKind::kStdout, "for the next run") + done_frame();
  for (std::size_t size = 1; size <= more.size(); ++size) {
    Ends fresh;
    EXPECT_EQ(fresh.status_after(done_frame() + more.substr(0, size)), RunStatus::kBroken) << size;
  }
}

TEST_F(GuestChannelTest, AnEndOfTheStreamAnywhereIsALoss) {
  const std::string whole = frame_of(FrameKind::kStdout, "abc") + done_frame();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Ends fresh;
    EXPECT_EQ(fresh.status_after(whole.substr(0, size)), RunStatus::kLost) << size;
  }
}

TEST_F(GuestChannelTest, AGuestThatIsGoneBeforeTheRunWasSentNothing) {
  guest_ends();
  EXPECT_EQ(run().status, RunStatus::kNotDispatched);
}

TEST_F(GuestChannelTest, ASilentGuestIsStoppedInTime) {
  const auto start = Clock::now();
  EXPECT_EQ(run("1", kRun, Millis{50}).status, RunStatus::kStopped);
  EXPECT_GE(Clock::now() - start, Millis{50});
  EXPECT_LE(Clock::now() - start, std::chrono::seconds{20});
}

TEST_F(GuestChannelTest, WhatIsThereAtTheDeadlineIsTakenThoughTheHostComesLate) {
  const Millis passed{-50};
  guest_sends(frame_of(FrameKind::kStdout, "ab"));
  RunReport report = run("1", kRun, passed);
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_EQ(report.stdout_bytes, "ab");
  guest_sends(frame_of(FrameKind::kStderr, "cd") + done_frame({.cause = DoneCause::kTimedOut}));
  report = run("1", kRun, passed);
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.stderr_bytes, "cd");
  EXPECT_EQ(report.done.cause, DoneCause::kTimedOut);
  // Half a frame, and an end of the stream, are no more than a run that was stopped.
  guest_sends(frame_of(FrameKind::kStdout, "ef").substr(0, 9));
  guest_ends();
  EXPECT_EQ(run("1", kRun, passed).status, RunStatus::kNotDispatched);
  Ends other;
  other.guest_sends(frame_of(FrameKind::kStdout, "ef").substr(0, 9));
  other.guest_is_silent();
  EXPECT_EQ(other.run("1", kRun, passed).status, RunStatus::kStopped);
  Ends broken;
  broken.guest_sends(frame_of(FrameKind::kReady, ""));
  EXPECT_EQ(broken.run("1", kRun, passed).status, RunStatus::kBroken);
}

TEST_F(GuestChannelTest, AGuestThatDoesNotReadHoldsNobody) {
  const auto start = Clock::now();
  EXPECT_EQ(run(std::string(kMaxCodePayload, 'x'), kRun, Millis{50}).status, RunStatus::kStopped);
  EXPECT_LE(Clock::now() - start, std::chrono::seconds{20});
}

// Empty frames cost the guest nothing and pass every cap; the deadline holds all the same.
TEST_F(GuestChannelTest, AnEndlessStreamOfEmptyFramesIsStoppedInTime) {
  std::jthread guest([this](const std::stop_token& stop) {
    std::string many;
    for (int i = 0; i < 1'000; ++i) many += frame_of(FrameKind::kStdout, "");
    for (std::size_t at = 0; !stop.stop_requested();) {
      const ssize_t sent =
          ::send(guest_.get(), many.data() + at, many.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) at = (at + static_cast<std::size_t>(sent)) % many.size();
    }
  });
  const auto start = Clock::now();
  EXPECT_EQ(run("1", kRun, Millis{100}).status, RunStatus::kStopped);
  EXPECT_LE(Clock::now() - start, std::chrono::seconds{20});
}

TEST_F(GuestChannelTest, ReadyIsOneEmptyFrame) {
  guest_sends(frame_of(FrameKind::kReady, ""));
  EXPECT_TRUE(channel_->await_ready(Clock::now() + kPatience));
  guest_sends(frame_of(FrameKind::kReady, "x"));
  EXPECT_FALSE(channel_->await_ready(Clock::now() + kPatience));
  guest_sends(done_frame());
  EXPECT_FALSE(channel_->await_ready(Clock::now() + kPatience));
  EXPECT_FALSE(channel_->await_ready(Clock::now() + Millis{20}));
  guest_ends();
  EXPECT_FALSE(channel_->await_ready(Clock::now() + kPatience));
}

TEST_F(GuestChannelTest, AProbeHasOneByteOfAnswer) {
  guest_sends(frame_of(FrameKind::kProbeResult, "\x01"));
  EXPECT_EQ(channel_->probe(7, Clock::now() + kPatience), 1);
  EXPECT_EQ(what_the_guest_got(), frame_of(FrameKind::kProbe, "\x07"));
  for (const std::string& bytes : {frame_of(FrameKind::kProbeResult, ""),
                                   frame_of(FrameKind::kProbeResult, "12"), done_frame()}) {
    guest_sends(bytes);
    EXPECT_EQ(channel_->probe(7, Clock::now() + kPatience), std::nullopt);
  }
  guest_ends();
  EXPECT_EQ(channel_->probe(7, Clock::now() + kPatience), std::nullopt);
}

TEST_F(GuestChannelTest, AClosedChannelRunsNothing) {
  channel_->close();
  EXPECT_EQ(run().status, RunStatus::kNotDispatched);
}

}  // namespace
}  // namespace plimsoll::guest
