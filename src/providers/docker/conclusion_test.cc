#include "providers/docker/conclusion.h"

#include <gtest/gtest.h>

#include <csignal>

#include "providers/docker/project_conclusion.h"

namespace plimsoll::docker {
namespace {

using guest::DoneCause;
using guest::FrameKind;

constexpr MemoryWord kQuiet{.oom_kill = false, .limit_mb = 64};
constexpr MemoryWord kKilled{.oom_kill = true, .limit_mb = 64};

TEST(Conclusion, OfEveryCause) {
  const struct {
    DoneCause cause;
    std::uint8_t exit_code;
    std::uint8_t signal;
    MemoryWord memory;
    TerminationCause expected;
    int code;
  } cases[] = {
      {DoneCause::kExited, 0, 0, kQuiet, TerminationCause::kExited, 0},
      {DoneCause::kExited, 255, 0, kQuiet, TerminationCause::kExited, 255},
      {DoneCause::kExited, 137, 0, kQuiet, TerminationCause::kExited, 137},
      {DoneCause::kExited, 137, 0, kKilled, TerminationCause::kOutOfMemory, 137},
      {DoneCause::kExited, 1, 0, kKilled, TerminationCause::kExited, 1},
      {DoneCause::kTimedOut, 124, 0, kQuiet, TerminationCause::kTimedOut, 124},
      {DoneCause::kOutOfMemory, 137, 0, kQuiet, TerminationCause::kOutOfMemory, 137},
      {DoneCause::kOutputFlood, 153, 0, kQuiet, TerminationCause::kOutputFlood, 153},
      {DoneCause::kSignaled, 139, SIGSEGV, kKilled, TerminationCause::kSignaled, 139},
      {DoneCause::kSignaled, 137, SIGKILL, kQuiet, TerminationCause::kSignaled, 137},
      {DoneCause::kSignaled, 137, SIGKILL, kKilled, TerminationCause::kOutOfMemory, 137},
  };
  for (const auto& c : cases) {
    const ProcessEnd end = end_of(c.cause, c.exit_code, c.signal, c.memory);
    EXPECT_EQ(end.termination.cause, c.expected) << static_cast<int>(c.cause);
    EXPECT_EQ(end.exit_code, c.code);
    EXPECT_EQ(end.timed_out, c.expected == TerminationCause::kTimedOut);
    EXPECT_EQ(end.flooded, c.expected == TerminationCause::kOutputFlood);
  }
}

TEST(Conclusion, TheKernelIsAskedOnlyWhenItMatters) {
  EXPECT_TRUE(may_be_oom_kill(DoneCause::kSignaled, 137, SIGKILL));
  EXPECT_TRUE(may_be_oom_kill(DoneCause::kExited, 137, 0));
  EXPECT_FALSE(may_be_oom_kill(DoneCause::kSignaled, 139, SIGSEGV));
  EXPECT_FALSE(may_be_oom_kill(DoneCause::kExited, 1, 0));
  EXPECT_FALSE(may_be_oom_kill(DoneCause::kTimedOut, 124, 0));
}

ProjectRun project() {
  return {.files = {{.path = "a.js", .content = "1"}},
          .steps = {"one", "two"},
          .artifacts = {"x", "y"}};
}

guest::ProjectCollector collector(const ProjectRun& run) {
  return guest::ProjectCollector(
      bounds_of(run, {.timeout = Millis{100}, .output_cap_bytes = 10, .memory_mb = 64}));
}

template <class Encoded>
void feed(guest::ProjectCollector& to, FrameKind kind, const Encoded& bytes) {
  const std::vector<std::uint8_t> payload(bytes.begin(), bytes.end());
  EXPECT_NE(to.take({.kind = kind, .payload = payload}), guest::FrameSink::Step::kBroken);
}

TEST(ProjectConclusion, WhatIsAskedForIsWhatTheRunnerIsTold) {
  const ProjectRun run = project();
  const guest::ProjectRunFrame frame =
      frame_of(run, {.timeout = Millis{100}, .output_cap_bytes = 10, .memory_mb = 64});
  EXPECT_EQ(frame.timeout_us, 100'000U);
  EXPECT_EQ(frame.output_cap, 10U);
  EXPECT_EQ(frame.memory_bytes, 64U << 20);
  ASSERT_EQ(frame.files.size(), 1U);
  EXPECT_EQ(frame.files[0].path, "a.js");
  EXPECT_EQ(frame.steps.size(), 2U);
  EXPECT_EQ(frame.artifacts.size(), 2U);
  EXPECT_TRUE(guest::encode(frame));
}

TEST(ProjectConclusion, AStepThatTookTheContainerWithItIsOutOfMemory) {
  const ProjectRun run = project();
  auto collected = collector(run);
  feed(collected, FrameKind::kStepBegin, guest::encode(guest::StepBegin{0}));
  EXPECT_TRUE(may_be_oom_kill(guest::RunStatus::kLost, collected));
  const ProjectResult result = result_of(run, guest::RunStatus::kLost, collected, kKilled);
  EXPECT_EQ(result.outcome, ProjectOutcome::kCompleted);
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].command, "one");
  EXPECT_EQ(result.steps[0].process.termination.cause, TerminationCause::kOutOfMemory);
  EXPECT_TRUE(result.artifacts_truncated);
}

TEST(ProjectConclusion, WhatWasLostOrBrokenIsAProtocolError) {
  const ProjectRun run = project();
  for (const auto status : {guest::RunStatus::kLost, guest::RunStatus::kBroken}) {
    auto collected = collector(run);
    feed(collected, FrameKind::kStepBegin, guest::encode(guest::StepBegin{0}));
    const ProjectResult result = result_of(run, status, collected, kQuiet);
    EXPECT_EQ(result.outcome, ProjectOutcome::kProtocolError);
    EXPECT_TRUE(result.steps.empty());
  }
}

TEST(ProjectConclusion, OneThatTheHostStoppedTimedOutInItsStep) {
  const ProjectRun run = project();
  auto collected = collector(run);
  feed(collected, FrameKind::kStepBegin, guest::encode(guest::StepBegin{0}));
  const ProjectResult result = result_of(run, guest::RunStatus::kStopped, collected, kQuiet);
  EXPECT_EQ(result.outcome, ProjectOutcome::kTimedOut);
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_TRUE(result.steps[0].process.timed_out);
}

TEST(ProjectConclusion, ASetupThatFailedSaysWhichFile) {
  const ProjectRun run = project();
  auto collected = collector(run);
  feed(collected, FrameKind::kProjectDone,
       guest::encode(guest::ProjectDone{.end = guest::ProjectEnd::kSetupFailed,
                                        .fault = guest::SetupFault::kNoSpace}));
  const ProjectResult result = result_of(run, guest::RunStatus::kDone, collected, kQuiet);
  EXPECT_EQ(result.outcome, ProjectOutcome::kSetupFailed);
  EXPECT_EQ(result.outcome_detail, "file 0: the disk is full");
}

}  // namespace
}  // namespace plimsoll::docker
