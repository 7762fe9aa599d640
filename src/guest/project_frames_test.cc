#include "guest/project_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/wire_limits.h"

namespace plimsoll::guest {
namespace {

using Bytes = std::vector<std::uint8_t>;

static_assert(kMaxProjectRunFiles >= kMaxProjectFiles && kMaxProjectRunBytes >= kMaxProjectBytes);
static_assert(kMaxProjectRunSteps >= kMaxProjectSteps && kMaxProjectRunStep >= kMaxStepBytes);
static_assert(kMaxProjectRunArtifacts >= kMaxArtifacts && kMaxProjectRunPath >= kMaxPathBytes);
static_assert(kMaxArtifactBudget >= kMaxArtifactBytes);

template <class Payload>
Bytes bytes_of(const Payload& payload) {
  return Bytes(payload.begin(), payload.end());
}

std::span<const std::uint8_t> view_of(const std::string& payload) {
  return {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()};
}

ProjectRunFrame small_run() {
  return {.timeout_us = 1,
          .step_timeout_us = 0x0102'0304'0506'0708,
          .output_cap = 3,
          .flood_bytes = 4,
          .memory_bytes = 5,
          .artifact_bytes = 6,
          .global = "host",
          .preamble = "x",
          .files = {{.path = "a/b.ts", .content = std::string_view("\0\xff", 2)}, {.path = "c"}},
          .steps = {"node a/b.ts", "ls"},
          .artifacts = {"out.bin"}};
}

TEST(ProjectRunFrame, RoundTrips) {
  const ProjectRunFrame run = small_run();
  const auto payload = encode(run);
  ASSERT_TRUE(payload);
  const auto again = decode_project_run(view_of(*payload));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->timeout_us, run.timeout_us);
  EXPECT_EQ(again->step_timeout_us, run.step_timeout_us);
  EXPECT_EQ(again->output_cap, run.output_cap);
  EXPECT_EQ(again->flood_bytes, run.flood_bytes);
  EXPECT_EQ(again->memory_bytes, run.memory_bytes);
  EXPECT_EQ(again->artifact_bytes, run.artifact_bytes);
  EXPECT_EQ(again->global, run.global);
  EXPECT_EQ(again->preamble, run.preamble);
  ASSERT_EQ(again->files.size(), run.files.size());
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    EXPECT_EQ(again->files[i].path, run.files[i].path);
    EXPECT_EQ(again->files[i].content, run.files[i].content);
  }
  EXPECT_EQ(again->steps, run.steps);
  EXPECT_EQ(again->artifacts, run.artifacts);
}

TEST(ProjectRunFrame, TheLayoutIsFixed) {
  const auto payload =
      encode(ProjectRunFrame{.timeout_us = 0x0201, .files = {{"p", "c"}}, .steps = {"s"}});
  ASSERT_TRUE(payload);
  Bytes expected(kProjectRunHeadBytes);
  expected[0] = 1;
  expected[1] = 2;
  expected[56] = 1;
  expected[58] = 1;
  for (const char c : {'p', 'c', 's'}) {
    const Bytes part = {1, 0, 0, 0, static_cast<std::uint8_t>(c)};
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_EQ(bytes_of(view_of(*payload)), expected);
}

TEST(ProjectRunFrame, EveryCutAndEveryTailIsRefused) {
  auto payload = encode(small_run());
  ASSERT_TRUE(payload);
  for (std::size_t size = 0; size < payload->size(); ++size) {
    EXPECT_FALSE(decode_project_run(view_of(*payload).first(size))) << size;
  }
  *payload += '\0';
  EXPECT_FALSE(decode_project_run(view_of(*payload)));
}

TEST(ProjectRunFrame, SizesBeyondThePayloadAreRefused) {
  const auto payload = encode(small_run());
  ASSERT_TRUE(payload);
  for (std::size_t at = 48; at < kProjectRunHeadBytes; ++at) {
    std::string changed = *payload;
    changed[at] = '\xff';
    EXPECT_FALSE(decode_project_run(view_of(changed))) << at;
  }
}

TEST(ProjectRunFrame, EachPartHasItsBound) {
  const auto admits = [](auto change) {
    ProjectRunFrame run = small_run();
    change(run);
    return encode(run).has_value();
  };
  const std::string big(kMaxProjectRunBytes + 1, 'x');
  const std::string_view all(big);
  using Run = ProjectRunFrame;
  EXPECT_TRUE(admits([](Run& run) { run.artifact_bytes = kMaxArtifactBudget; }));
  EXPECT_FALSE(admits([](Run& run) { run.artifact_bytes = kMaxArtifactBudget + 1; }));
  EXPECT_TRUE(admits([&](Run& run) { run.global = all.substr(0, kMaxGlobalBytes); }));
  EXPECT_FALSE(admits([&](Run& run) { run.global = all.substr(0, kMaxGlobalBytes + 1); }));
  EXPECT_TRUE(admits([&](Run& run) { run.preamble = all.substr(0, kMaxPreambleBytes); }));
  EXPECT_FALSE(admits([&](Run& run) { run.preamble = all.substr(0, kMaxPreambleBytes + 1); }));
  EXPECT_FALSE(admits([](Run& run) { run.global = {}; }));  // a preamble without an API
  EXPECT_TRUE(admits([](Run& run) { run.files.assign(kMaxProjectRunFiles, {"p", "c"}); }));
  EXPECT_FALSE(admits([](Run& run) { run.files.assign(kMaxProjectRunFiles + 1, {"p", "c"}); }));
  EXPECT_TRUE(admits([&](Run& run) { run.files = {{all.substr(0, kMaxProjectRunPath), ""}}; }));
  EXPECT_FALSE(
      admits([&](Run& run) { run.files = {{all.substr(0, kMaxProjectRunPath + 1), ""}}; }));
  EXPECT_TRUE(
      admits([&](Run& run) { run.files = {{"p", all.substr(0, kMaxProjectRunBytes - 1)}}; }));
  EXPECT_FALSE(admits([&](Run& run) { run.files = {{"p", all.substr(0, kMaxProjectRunBytes)}}; }));
  EXPECT_FALSE(admits([](Run& run) { run.steps.clear(); }));
  EXPECT_FALSE(admits([](Run& run) { run.steps.emplace_back(); }));
  EXPECT_TRUE(admits(
      [&](Run& run) { run.steps.assign(kMaxProjectRunSteps, all.substr(0, kMaxProjectRunStep)); }));
  EXPECT_FALSE(admits([](Run& run) { run.steps.assign(kMaxProjectRunSteps + 1, "s"); }));
  EXPECT_FALSE(admits([&](Run& run) { run.steps = {all.substr(0, kMaxProjectRunStep + 1)}; }));
  EXPECT_TRUE(admits([&](Run& run) {
    run.artifacts.assign(kMaxProjectRunArtifacts, all.substr(0, kMaxProjectRunPath));
  }));
  EXPECT_FALSE(admits([](Run& run) { run.artifacts.assign(kMaxProjectRunArtifacts + 1, "a"); }));
  EXPECT_FALSE(admits([&](Run& run) { run.artifacts = {all.substr(0, kMaxProjectRunPath + 1)}; }));
}

TEST(ProjectRunFrame, TheGreatestFitsItsBound) {
  const std::string big(kMaxProjectRunBytes, 'x');
  const std::string_view all(big);
  ProjectRunFrame run{.global = all.substr(0, kMaxGlobalBytes),
                      .preamble = all.substr(0, kMaxPreambleBytes)};
  run.files.assign(kMaxProjectRunFiles, {"p", ""});
  run.files.back().content = all.substr(0, kMaxProjectRunBytes - kMaxProjectRunFiles);
  run.steps.assign(kMaxProjectRunSteps, all.substr(0, kMaxProjectRunStep));
  run.artifacts.assign(kMaxProjectRunArtifacts, all.substr(0, kMaxProjectRunPath));
  const auto payload = encode(run);
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->size(), kMaxProjectRunPayload);
  EXPECT_TRUE(decode_project_run(view_of(*payload)));
}

TEST(StepFrames, RoundTrip) {
  for (const std::uint32_t index : {0U, 15U}) {
    const auto begin = decode_step_begin(encode(StepBegin{.index = index}));
    ASSERT_TRUE(begin);
    EXPECT_EQ(begin->index, index);
  }
  const StepDone step{.index = 15,
                      .cause = DoneCause::kSignaled,
                      .stderr_truncated = true,
                      .exit_code = 139,
                      .signal = 11};
  const Bytes expected = {15, 0, 0, 0, 5, 0, 1, 139, 11, 0, 0, 0};
  EXPECT_EQ(bytes_of(encode(step)), expected);
  const auto again = decode_step_done(encode(step));
  ASSERT_TRUE(again);
  EXPECT_EQ(bytes_of(encode(*again)), expected);
}

TEST(StepFrames, NoIndexIsBeyondTheSteps) {
  EXPECT_FALSE(decode_step_begin(encode(StepBegin{.index = 16})));
  EXPECT_FALSE(decode_step_done(encode(StepDone{.index = 16})));
  EXPECT_FALSE(decode_step_done(encode(StepDone{.index = 0xffff'ffff})));
}

TEST(StepFrames, ASignalIsThereExactlyWhenItKilled) {
  using enum DoneCause;
  for (unsigned cause = 0; cause <= 255; ++cause) {
    for (const unsigned signal : {0U, 1U, 64U, 65U, 255U}) {
      const StepDone step{.cause = static_cast<DoneCause>(cause),
                          .signal = static_cast<std::uint8_t>(signal)};
      const bool expected = step.cause == kSignaled
                                ? signal >= 1 && signal <= 64
                                : signal == 0 && cause < 4;  // no engine that could fault
      EXPECT_EQ(decode_step_done(encode(step)).has_value(), expected) << cause << ' ' << signal;
    }
  }
}

TEST(ArtifactFrame, RoundTrips) {
  ArtifactHead artifact{.index = 31, .state = ArtifactState::kCut, .size = kMaxArtifactBudget};
  for (std::size_t i = 0; i < 32; ++i) artifact.sha256[i] = static_cast<std::uint8_t>(i + 1);
  const auto again = decode_artifact_head(encode(artifact));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->index, 31U);
  EXPECT_EQ(again->state, ArtifactState::kCut);
  EXPECT_EQ(again->size, kMaxArtifactBudget);
  EXPECT_EQ(again->sha256, artifact.sha256);
}

TEST(ArtifactFrame, WhatHasNoContentHasNoSizeAndNoHash) {
  for (const auto state :
       {ArtifactState::kMissing, ArtifactState::kRefused, ArtifactState::kUnreadable}) {
    EXPECT_TRUE(decode_artifact_head(encode(ArtifactHead{.state = state})));
    EXPECT_FALSE(decode_artifact_head(encode(ArtifactHead{.state = state, .size = 1})));
    EXPECT_FALSE(decode_artifact_head(encode(ArtifactHead{.state = state, .sha256 = {1}})));
  }
  EXPECT_FALSE(decode_artifact_head(encode(ArtifactHead{.state = static_cast<ArtifactState>(5)})));
}

TEST(ArtifactFrame, ItsNumbersAreBounded) {
  EXPECT_FALSE(decode_artifact_head(encode(ArtifactHead{.index = 32})));
  EXPECT_FALSE(decode_artifact_head(encode(ArtifactHead{.size = kMaxArtifactBudget + 1})));
}

TEST(ProjectDoneFrame, AFaultBelongsToAFailedSetup) {
  for (unsigned end = 0; end <= 255; ++end) {
    for (unsigned fault = 0; fault <= 255; ++fault) {
      for (const std::uint32_t file : {0U, 199U, 200U}) {
        const ProjectDone done{.end = static_cast<ProjectEnd>(end),
                               .fault = static_cast<SetupFault>(fault),
                               .file = file};
        const bool failed = end == 2 && fault >= 1 && fault <= 5;
        const bool went = (end == 1 || end == 3) && fault == 0;
        const bool expected = (failed && file < (fault == 1 ? 1U : 200U)) || (went && file == 0);
        const auto again = decode_project_done(encode(done));
        ASSERT_EQ(again.has_value(), expected) << end << ' ' << fault << ' ' << file;
        if (!again) continue;
        ASSERT_EQ(bytes_of(encode(*again)), bytes_of(encode(done)));
      }
    }
  }
}

TEST(ProjectFrames, EachHasOneSizeAndNoReservedBit) {
  const auto check = [](auto payload, auto decode, std::initializer_list<std::size_t> reserved) {
    Bytes longer = bytes_of(payload);
    longer.push_back(0);
    for (std::size_t size = 0; size <= longer.size(); ++size) {
      EXPECT_EQ(decode(std::span<const std::uint8_t>(longer).first(size)).has_value(),
                size == payload.size());
    }
    for (const std::size_t at : reserved) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes changed = bytes_of(payload);
        changed[at] = static_cast<std::uint8_t>(1U << bit);
        EXPECT_FALSE(decode(std::span<const std::uint8_t>(changed))) << at << " bit " << bit;
      }
    }
  };
  check(encode(StepBegin{}), decode_step_begin, {});
  check(encode(StepDone{}), decode_step_done, {9, 10, 11});
  check(encode(ArtifactHead{}), decode_artifact_head, {5, 6, 7});
  check(encode(ProjectDone{}), decode_project_done, {2, 3});
  for (const std::size_t flag : {5U, 6U}) {
    Bytes changed = bytes_of(encode(StepDone{}));
    changed[flag] = 2;
    EXPECT_FALSE(decode_step_done(changed));
  }
}

}  // namespace
}  // namespace plimsoll::guest
