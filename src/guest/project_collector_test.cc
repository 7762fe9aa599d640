#include "guest/project_collector.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"

namespace plimsoll::guest {
namespace {

constexpr ProjectBounds kBounds{.steps = 2, .artifacts = 2, .output_cap = 8, .artifact_bytes = 10};

struct Sent {
  FrameKind kind;
  std::vector<std::uint8_t> payload;
};

template <class Encoded>
Sent sent(FrameKind kind, const Encoded& bytes) {
  return {.kind = kind, .payload = {bytes.begin(), bytes.end()}};
}

Sent begin(std::uint32_t index) { return sent(FrameKind::kStepBegin, encode(StepBegin{index})); }
Sent out(std::string_view text) { return sent(FrameKind::kStdout, text); }
Sent err(std::string_view text) { return sent(FrameKind::kStderr, text); }
Sent ends(std::uint32_t index, std::uint8_t exit_code = 0) {
  return sent(FrameKind::kStepDone, encode(StepDone{.index = index, .exit_code = exit_code}));
}
Sent stopped(std::uint32_t index) {
  return sent(FrameKind::kStepDone,
              encode(StepDone{.index = index, .cause = DoneCause::kTimedOut, .exit_code = 124}));
}
Sent artifact(std::uint32_t index, std::string_view content,
              ArtifactState state = ArtifactState::kWhole) {
  ArtifactHead head{
      .index = index, .state = state, .size = static_cast<std::uint32_t>(content.size())};
  if (state == ArtifactState::kWhole || state == ArtifactState::kCut) head.sha256 = sha256(content);
  return sent(FrameKind::kArtifact, encode(head));
}
Sent missing(std::uint32_t index) { return artifact(index, "", ArtifactState::kMissing); }
Sent data(std::string_view text) { return sent(FrameKind::kArtifactData, text); }
Sent done(ProjectEnd end = ProjectEnd::kCompleted) {
  const bool failed = end == ProjectEnd::kSetupFailed;
  return sent(
      FrameKind::kProjectDone,
      encode(ProjectDone{.end = end, .fault = failed ? SetupFault::kPath : SetupFault::kNone}));
}

using Step = FrameSink::Step;

// What the last frame came to; a frame before it that ends or breaks the run fails the test.
Step fed(ProjectCollector& collector, const std::vector<Sent>& frames) {
  Step step = Step::kMore;
  for (const Sent& one : frames) {
    EXPECT_EQ(step, Step::kMore);
    step = collector.take({.kind = one.kind, .payload = one.payload});
  }
  return step;
}

Step fed(const std::vector<Sent>& frames) {
  ProjectCollector collector(kBounds);
  return fed(collector, frames);
}

TEST(ProjectCollector, AWholeProject) {
  ProjectCollector collector(kBounds);
  EXPECT_EQ(fed(collector, {begin(0), out("12"), err("ab"), out("34"), ends(0), begin(1), ends(1),
                            artifact(0, "hello"), data("he"), data("llo"), missing(1), done()}),
            Step::kEnd);
  ASSERT_EQ(collector.steps().size(), 2U);
  EXPECT_EQ(collector.steps()[0].stdout_bytes, "1234");
  EXPECT_EQ(collector.steps()[0].stderr_bytes, "ab");
  ASSERT_EQ(collector.artifacts().size(), 2U);
  EXPECT_EQ(collector.artifacts()[0].content, "hello");
  EXPECT_EQ(collector.artifacts()[1].state, ArtifactState::kMissing);
  EXPECT_EQ(collector.done().end, ProjectEnd::kCompleted);
}

TEST(ProjectCollector, OtherEnds) {
  const std::vector<std::vector<Sent>> kEnds = {
      {begin(0), ends(0, 7), missing(0), missing(1), done()},  // it stops at the step that failed
      {done(ProjectEnd::kSetupFailed)},
      {begin(0), stopped(0), done(ProjectEnd::kTimedOut)},
      {begin(0), ends(0), done(ProjectEnd::kTimedOut)},
      {begin(0), ends(0), begin(1), ends(1), artifact(0, ""), artifact(1, "0123456789"),
       data("0123456789"), done()},
  };
  for (std::size_t i = 0; i < kEnds.size(); ++i) EXPECT_EQ(fed(kEnds[i]), Step::kEnd) << i;
}

TEST(ProjectCollector, WhatDoesNotBelongIsBroken) {
  const std::vector<std::vector<Sent>> kBroken = {
      {begin(1)},
      {begin(0), begin(1)},
      {begin(0), ends(1)},
      {ends(0)},
      {out("x")},
      {begin(0), ends(0), out("x")},
      {begin(0), ends(0, 1), begin(1)},  // none begins after one that failed
      {begin(0), ends(0), begin(1), ends(1), begin(2)},
      {begin(0), out("123456789")},
      {begin(0), out("12345678"), out("9")},
      {missing(0)},
      {begin(0), missing(0)},
      {begin(0), ends(0), missing(1)},
      {begin(0), ends(0), missing(0), begin(1)},
      {begin(0), ends(0), missing(0), missing(1), missing(2)},
      {begin(0), ends(0), artifact(0, "01234567890")},  // beyond the budget
      {begin(0), ends(0), artifact(0, "012345"), data("012345"), artifact(1, "01234")},
      {begin(0), ends(0), data("x")},
      {begin(0), ends(0), artifact(0, "ab"), data("abc")},
      {begin(0), ends(0), artifact(0, "ab"), data("")},
      {begin(0), ends(0), artifact(0, "ab"), data("ax")},  // another hash
      {begin(0), ends(0), artifact(0, "ab"), data("a"), missing(1)},
      {begin(0), ends(0), artifact(0, "ab"), data("a"), done()},
      {begin(0), done()},
      {begin(0), ends(0), missing(0), missing(1), done()},  // a step was left out
      {begin(0), ends(0), begin(1), ends(1), missing(0), done()},
      {begin(0), ends(0), done(ProjectEnd::kSetupFailed)},
      {begin(0), stopped(0), missing(0), done(ProjectEnd::kTimedOut)},
      {{.kind = FrameKind::kDone, .payload = {}}},
      {{.kind = FrameKind::kReady, .payload = {}}},
      {{.kind = FrameKind::kStepBegin, .payload = {}}},
  };
  for (std::size_t i = 0; i < kBroken.size(); ++i) EXPECT_EQ(fed(kBroken[i]), Step::kBroken) << i;
}

TEST(ProjectCollector, AStepTakesTheHostsTime) {
  std::chrono::steady_clock::time_point now;
  ProjectCollector collector(kBounds, [&now] { return now; });
  EXPECT_EQ(fed(collector, {begin(0)}), Step::kMore);
  now += std::chrono::milliseconds(1'500);
  EXPECT_EQ(fed(collector, {ends(0)}), Step::kMore);
  EXPECT_EQ(collector.steps()[0].duration, std::chrono::milliseconds(1'500));
}

}  // namespace
}  // namespace plimsoll::guest
