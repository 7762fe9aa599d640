#include "client/describe_answer.h"

#include <gtest/gtest.h>
#include <plimsoll/v1/sandbox.pb.h>

namespace plimsoll::client {
namespace {

v1::DescribeResponse honest() {
  v1::DescribeResponse message;
  message.set_sandbox("wasm");
  message.set_isolation("process");
  message.set_protocol(2);
  message.set_policy("hardened");
  message.set_supports_javascript_grants(true);
  message.set_session_lifetime_ms(7);
  message.mutable_evidence()->set_tier("process");
  v1::PayloadEnvironment& javascript = *message.mutable_javascript_environment();
  javascript.set_identity("quickjs-wasm:sha256:00");
  javascript.set_max_timeout_ms(30'000);
  javascript.add_languages("javascript");
  message.mutable_resources()->set_memory_mb(64);
  message.mutable_resources()->set_cpus(0.5);
  return message;
}

TEST(DescribeAnswer, EveryField) {
  const auto description = decode_description(honest().SerializeAsString());
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->sandbox, "wasm");
  EXPECT_EQ(description->evidence.tier, Isolation::kProcess);
  EXPECT_EQ(description->protocol, 2U);
  EXPECT_EQ(description->policy, "hardened");
  EXPECT_TRUE(description->supports_javascript_grants);
  EXPECT_FALSE(description->supports_project);
  EXPECT_EQ(description->session_lifetime, Millis(7));
  ASSERT_TRUE(description->javascript);
  EXPECT_EQ(description->javascript->max_timeout, Millis(30'000));
  EXPECT_EQ(description->javascript->languages, std::vector<std::string>{"javascript"});
  EXPECT_FALSE(description->project);
  EXPECT_FALSE(description->module);
  EXPECT_EQ(description->resources.memory_mb, 64U);
  EXPECT_EQ(description->resources.cpus, 0.5);
}

TEST(DescribeAnswer, AnotherProtocolIsSaidToBeOne) {
  v1::DescribeResponse message = honest();
  message.set_protocol(3);
  EXPECT_EQ(decode_description(message.SerializeAsString()).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(decode_description("").error().code, ErrorCode::kUnsupported);
}

TEST(DescribeAnswer, EvidenceThatContradictsTheTierIsRefused) {
  v1::DescribeResponse message = honest();
  message.mutable_evidence()->set_tier("vm");
  EXPECT_EQ(decode_description(message.SerializeAsString()).error().code,
            ErrorCode::kEvidenceMismatch);
  message.clear_evidence();
  EXPECT_EQ(decode_description(message.SerializeAsString()).error().code,
            ErrorCode::kEvidenceMismatch);
}

TEST(DescribeAnswer, ExecutionThatIsOffHasNoTier) {
  v1::DescribeResponse message = honest();
  message.set_isolation("unknown");
  message.mutable_evidence()->set_tier("unknown");
  const auto description = decode_description(message.SerializeAsString());
  ASSERT_TRUE(description);
  EXPECT_EQ(description->evidence.tier, Isolation::kUnknown);
}

TEST(DescribeAnswer, WhatIsNoneIsAFault) {
  EXPECT_EQ(decode_description("\xff\xff").error().code, ErrorCode::kInfrastructure);
}

}  // namespace
}  // namespace plimsoll::client
