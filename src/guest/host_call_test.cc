// Calls of a granted run on the channel; the guest's end is written by hand.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "guest/guest_channel.h"
#include "guest/host_calls.h"

namespace plimsoll::guest {
namespace {

using Clock = GuestChannel::Clock;
constexpr std::chrono::seconds kPatience{5};
constexpr RunHeader kRun{.timeout_us = 1, .output_cap = 100, .flood_bytes = 3, .memory_bytes = 4};

template <class Bytes>
std::string text_of(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string frame_of(FrameKind kind, std::string_view payload) {
  return text_of(encode_header({.size = static_cast<std::uint32_t>(payload.size()), .kind = kind}))
      .append(payload);
}

std::string payload_of(const HostCall& call) {
  return text_of(encode_head(call)).append(call.method).append(call.target).append(call.body);
}

std::string call_frame(const HostCall& call) {
  return frame_of(FrameKind::kHostCall, payload_of(call));
}

std::string done_frame() { return frame_of(FrameKind::kDone, text_of(encode(Done{}))); }

std::optional<HostCall> decoded(const std::string& payload) {
  return decode_call({reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()});
}

TEST(HostCallFrame, RoundTrips) {
  const std::string target(kMaxCallTarget + 1, 't');
  const std::string body(kMaxCallBody + 1, 'b');
  for (const HostCall& call :
       {HostCall{}, HostCall{.id = 0xffff'ffff, .method = "GET", .target = "/"},
        HostCall{.id = 1, .has_body = true, .method = "POST", .target = "/a"},
        HostCall{
            .has_body = true, .method = "12345678901234567", .target = target, .body = body}}) {
    const std::string payload = payload_of(call);
    const auto again = decoded(payload);
    ASSERT_TRUE(again) << payload.size();
    EXPECT_EQ(again->id, call.id);
    EXPECT_EQ(again->has_body, call.has_body);
    EXPECT_EQ(again->method, call.method);
    EXPECT_EQ(again->target, call.target);
    EXPECT_EQ(again->body, call.body);
  }
}

TEST(HostCallFrame, EveryPartHasItsBound) {
  const std::string longer(kMaxCallBody + 2, 'x');
  const std::string_view all(longer);
  EXPECT_FALSE(decoded(payload_of({.method = all.substr(0, kMaxCallMethod + 2)})));
  EXPECT_FALSE(decoded(payload_of({.target = all.substr(0, kMaxCallTarget + 2)})));
  EXPECT_FALSE(decoded(payload_of({.has_body = true, .body = all})));
}

TEST(HostCallFrame, WhatDoesNotAddUpIsNone) {
  const std::string sound =
      payload_of({.id = 7, .has_body = true, .method = "PUT", .target = "/a", .body = "b"});
  ASSERT_TRUE(decoded(sound));
  for (std::size_t size = 0; size < sound.size() - 1; ++size) {
    EXPECT_FALSE(decoded(sound.substr(0, size))) << size;
  }
  for (const std::size_t at : {std::size_t{5}, std::size_t{6}, std::size_t{7}}) {
    std::string broken = sound;
    broken[at] = 2;
    EXPECT_FALSE(decoded(broken)) << at;
  }
  std::string no_body = sound;
  no_body[5] = 0;
  EXPECT_FALSE(decoded(no_body)) << "a body that is not there";
  std::string far = sound;
  far[8] = far[9] = far[10] = far[11] = '\xff';
  EXPECT_FALSE(decoded(far)) << "a target beyond the payload";
}

TEST(HostReplyFrame, RoundTripsAndIsBounded) {
  const HostReplyHead reply{.id = 3,
                            .status = 599,
                            .refused = true,
                            .type_bytes = kMaxReplyType,
                            .body_bytes = kMaxReplyBody};
  auto bytes = encode(reply);
  const auto again = decode_reply_head(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, 3U);
  EXPECT_EQ(again->status, 599);
  EXPECT_TRUE(again->refused);
  EXPECT_EQ(again->type_bytes, kMaxReplyType);
  EXPECT_EQ(again->body_bytes, kMaxReplyBody);
  EXPECT_FALSE(decode_reply_head(encode(HostReplyHead{.type_bytes = kMaxReplyType + 1})));
  EXPECT_FALSE(decode_reply_head(encode(HostReplyHead{.body_bytes = kMaxReplyBody + 1})));
  bytes[6] = 2;
  EXPECT_FALSE(decode_reply_head(bytes));
}

// Answers each call with its own target, or holds it.
class Calls final : public HostCalls {
 public:
  enum class Answers : std::uint8_t { kAtOnce, kNever };
  explicit Calls(Answers answers, std::size_t body_bytes = 0)
      : answers_(answers), body_bytes_(body_bytes), fd_(::eventfd(0, EFD_CLOEXEC)) {}

  void begin(const HostCall& call) override {
    targets.emplace_back(call.target);
    if (answers_ == Answers::kNever) return;
    ready_.push_back({.id = call.id, .status = 200, .body = std::string(body_bytes_, 'r')});
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  [[nodiscard]] int ready_fd() const noexcept override { return fd_.get(); }
  [[nodiscard]] std::optional<HostAnswer> next_answer() override {
    if (ready_.empty()) {
      std::uint64_t count = 0;
      EXPECT_EQ(::read(fd_.get(), &count, sizeof count), static_cast<ssize_t>(sizeof count));
      return std::nullopt;
    }
    HostAnswer answer = ready_.back();
    ready_.pop_back();
    return answer;
  }

  std::vector<std::string> targets;

 private:
  Answers answers_;
  std::size_t body_bytes_;
  UniqueFd fd_;
  std::vector<HostAnswer> ready_;
};

class HostCallsTest : public ::testing::Test {
 protected:
  HostCallsTest() { connect(); }

  void connect() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    channel_.emplace(UniqueFd(ends[0]));
    guest_ = UniqueFd(ends[1]);
  }

  void guest_sends(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(guest_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  RunReport run(Calls* calls, Clock::duration patience = kPatience) {
    return channel_->run(kRun,
                         {.code = "1",
                          .global = calls != nullptr ? "host" : std::string_view{},
                          .preamble = calls != nullptr ? "pre" : std::string_view{},
                          .calls = calls},
                         Clock::now() + patience);
  }

  std::optional<GuestChannel> channel_;
  UniqueFd guest_;
};

TEST_F(HostCallsTest, TheRunCarriesTheNameAndThePreambleBeforeTheCode) {
  Calls calls(Calls::Answers::kNever);
  guest_sends(done_frame());
  EXPECT_EQ(run(&calls).status, RunStatus::kDone);
  std::array<std::uint8_t, 200> got{};
  const ssize_t size = ::recv(guest_.get(), got.data(), got.size(), MSG_DONTWAIT);
  ASSERT_EQ(size, static_cast<ssize_t>(kHeaderBytes + kRunHeaderBytes + 8));
  const std::span payload(got.data() + kHeaderBytes, kRunHeaderBytes + 8);
  const auto header = decode_run(payload);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->global_bytes, 4U);
  EXPECT_EQ(header->preamble_bytes, 3U);
  EXPECT_EQ(text_of(payload.subspan(kRunHeaderBytes)), "hostpre1");
}

TEST_F(HostCallsTest, ACallWithoutAGrantIsBroken) {
  guest_sends(call_frame({.id = 1, .method = "GET", .target = "/"}) + done_frame());
  EXPECT_EQ(run(nullptr).status, RunStatus::kBroken);
}

TEST_F(HostCallsTest, AMalformedCallIsBrokenAndNobodyHearsOfIt) {
  Calls calls(Calls::Answers::kAtOnce);
  std::string payload = payload_of({.id = 1, .method = "GET", .target = "/"});
  payload[4] = 100;
  guest_sends(frame_of(FrameKind::kHostCall, payload) + done_frame());
  EXPECT_EQ(run(&calls).status, RunStatus::kBroken);
  EXPECT_TRUE(calls.targets.empty());
}

TEST_F(HostCallsTest, AGrantOfOneRunAdmitsNoCallOfTheNext) {
  Calls calls(Calls::Answers::kNever);
  guest_sends(done_frame());
  EXPECT_EQ(run(&calls).status, RunStatus::kDone);
  guest_sends(call_frame({.id = 1, .method = "GET", .target = "/"}) + done_frame());
  EXPECT_EQ(run(nullptr).status, RunStatus::kBroken);
}

TEST_F(HostCallsTest, MoreUnansweredCallsThanTheBoundAreBroken) {
  for (const std::size_t count : {kMaxUnanswered, kMaxUnanswered + 1}) {
    connect();
    Calls calls(Calls::Answers::kNever);
    std::string stream;
    for (std::size_t i = 0; i < count; ++i) {
      stream += call_frame({.id = 5, .method = "GET", .target = "/"});
    }
    guest_sends(stream + done_frame());
    const RunReport report = run(&calls);
    EXPECT_EQ(report.status, count == kMaxUnanswered ? RunStatus::kDone : RunStatus::kBroken);
    EXPECT_EQ(calls.targets.size(), kMaxUnanswered);
    EXPECT_EQ(report.calls_left, count == kMaxUnanswered);
  }
}

TEST_F(HostCallsTest, AnswersAreWholeFramesWithTheCallsNumber) {
  Calls calls(Calls::Answers::kAtOnce, 100'000);
  std::vector<std::uint32_t> ids;
  std::thread guest([&] {
    guest_sends(call_frame({.id = 7, .method = "GET", .target = "/a"}) +
                call_frame({.id = 9, .method = "GET", .target = "/b"}));
    std::string got(kHeaderBytes + kRunHeaderBytes + 8, 0);
    (void)::recv(guest_.get(), got.data(), got.size(), MSG_WAITALL);
    for (int i = 0; i < 2; ++i) {
      std::array<std::uint8_t, kHeaderBytes + kHostReplyHeadBytes> head{};
      (void)::recv(guest_.get(), head.data(), head.size(), MSG_WAITALL);
      const auto reply =
          decode_reply_head(std::span<const std::uint8_t>(head).last<kHostReplyHeadBytes>());
      if (!reply) break;
      ids.push_back(reply->id);
      std::string body(reply->body_bytes, 0);
      (void)::recv(guest_.get(), body.data(), body.size(), MSG_WAITALL);
      EXPECT_EQ(body, std::string(100'000, 'r'));
    }
    guest_sends(done_frame());
  });
  const RunReport report = run(&calls);
  guest.join();
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_FALSE(report.calls_left);
  EXPECT_EQ(calls.targets, (std::vector<std::string>{"/a", "/b"}));
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{7, 9}));
}

TEST_F(HostCallsTest, ACallThatIsReadAfterTheDeadlineIsNotMade) {
  Calls calls(Calls::Answers::kAtOnce, 10);
  guest_sends(frame_of(FrameKind::kStdout, "ab") +
              call_frame({.id = 1, .method = "GET", .target = "/"}));
  const RunReport report = run(&calls, std::chrono::milliseconds(-50));
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_EQ(report.stdout_bytes, "ab");
  EXPECT_TRUE(calls.targets.empty());
}

TEST_F(HostCallsTest, AGuestThatAsksAndNeverReadsIsStoppedInTimeWithBoundedAnswers) {
  Calls calls(Calls::Answers::kAtOnce, 200'000);
  std::thread guest([&] {
    for (int i = 0; i < 1'000; ++i) {
      guest_sends(call_frame({.id = 1, .method = "GET", .target = "/"}));
    }
  });
  const RunReport report = run(&calls);
  channel_->close();
  guest.join();
  EXPECT_EQ(report.status, RunStatus::kBroken);
  EXPECT_LE(calls.targets.size(), kMaxUnanswered + 8);
}

}  // namespace
}  // namespace plimsoll::guest
