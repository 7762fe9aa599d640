#include "client/wire_advice.h"

#include <gtest/gtest.h>
#include <plimsoll/v1/result.pb.h>

#include "client/honest_answer.h"
#include "client/run_answer.h"

namespace plimsoll::client {
namespace {

v1::AdviceFinding honest() {
  v1::AdviceFinding message;
  message.set_pattern("fan_out");
  message.set_severity("medium");
  message.set_remedy("use_granted_route");
  message.set_method("GET");
  message.set_route("/items/*");
  message.set_detail("a sentence");
  message.set_suggested_method("GET");
  message.set_suggested_route("/items");
  message.set_extra_calls(12);
  message.set_added_latency_ms(34);
  message.set_bytes_moved(56);
  return message;
}

std::vector<AdviceFinding> read(const v1::AdviceFinding& message, int times = 1) {
  v1::JavaScriptResult result;
  for (int i = 0; i < times; ++i) *result.add_advice() = message;
  return from_wire(result.advice());
}

TEST(WireAdvice, AnHonestFindingIsWhole) {
  const auto advice = read(honest());
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].pattern, AdvicePattern::kFanOut);
  EXPECT_EQ(advice[0].severity, AdviceSeverity::kMedium);
  EXPECT_EQ(advice[0].remedy, AdviceRemedy::kUseGrantedRoute);
  EXPECT_EQ(advice[0].route, "/items/*");
  EXPECT_EQ(advice[0].suggested_route, "/items");
  EXPECT_EQ(advice[0].extra_calls, 12);
  EXPECT_EQ(advice[0].added_latency_ms, 34);
  EXPECT_EQ(advice[0].bytes_moved, 56);
}

TEST(WireAdvice, WhatMakesNoSenseIsLeftOut) {
  v1::AdviceFinding message = honest();
  message.set_pattern("n_plus_one");
  EXPECT_TRUE(read(message).empty());
  message = honest();
  message.set_severity("");
  EXPECT_TRUE(read(message).empty());
  message = honest();
  message.set_remedy("rm -rf");
  EXPECT_TRUE(read(message).empty());
  message = honest();
  message.set_extra_calls(-1);
  EXPECT_TRUE(read(message).empty());
  EXPECT_EQ(read(honest(), 1000).size(), kMaxAdviceFindings);
}

TEST(WireAdvice, NoByteOfAServiceReachesATerminalRaw) {
  v1::AdviceFinding message = honest();
  message.set_route("/\x1b[2J\n\xE2\x80\xA8");
  message.set_detail(std::string(1'000'000, 'x'));
  const auto advice = read(message);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].route, "/?[2J????");
  EXPECT_EQ(advice[0].detail.size(), 8192U);
}

// The record does not cover it: an answer with advice holds as well as one without.
TEST(WireAdvice, ComesWithTheAnswerAndIsInNoDigest) {
  const AskedRun asked{.timeout_ms = 1000, .payload = JavaScriptRun{.code = "1"}};
  v1::RunResponse message = honest_answer(asked);
  *message.mutable_javascript()->add_advice() = honest();
  auto answer = decode_run_answer(message.SerializeAsString());
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->remote.outcome.advice.size(), 1U);
  EXPECT_FALSE(refute(*answer, asked, Isolation::kNone));
}

}  // namespace
}  // namespace plimsoll::client
